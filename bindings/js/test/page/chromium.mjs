// A page in Chromium, which this process serves and which posts its results.

import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';

const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm', '.jsonl': 'application/jsonl' };

// Root cannot start it in its own sandbox, and a container may have little shared memory.
const WORDS = ['--headless=shell', '--no-sandbox', '--disable-dev-shm-usage'];

/**
 * Returns a browser: that of `CHROMIUM`, or the one from npm, unpacked until `remove`. Without one,
 * `missing` is the reason.
 */
export async function chromium() {
  const scratch = fs.mkdtempSync(join(tmpdir(), 'fsgate-chromium-'));
  const remove = () => fs.rmSync(scratch, { recursive: true, force: true, maxRetries: 10 });
  try {
    const program = process.env.CHROMIUM ?? await unpacked(scratch);
    const missing = await whyNot(program, scratch);
    return { missing, remove, visit: (routes, script, seconds) => visit(program, scratch, routes, script, seconds) };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Unpacks the browser from npm, which puts it into `TMPDIR` and leaves it there. */
async function unpacked(scratch) {
  const { TMPDIR } = process.env;
  process.env.TMPDIR = scratch;
  try {
    return await (await import('@sparticuz/chromium')).default.executablePath();
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
}

/**
 * Returns false, or the output of a browser that does not start. The one from npm is for Linux on
 * x86-64, and needs libraries of the system (`libnss3`).
 */
async function whyNot(program, scratch) {
  const { said, code } = await ended(started(program, scratch, ['--version']));
  return code === 0 ? false : `Chromium does not start here, and CHROMIUM names no other: ${said.trim()}`;
}

/** Opens a page whose script posts to `/told` or `/failed`. `routes` returns files by path. */
async function visit(program, scratch, routes, script, seconds) {
  let answer;
  const told = new Promise((resolve, reject) => { answer = { resolve, reject }; });
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    if (request.method === 'POST') {
      const body = Buffer.concat(await request.toArray()).toString();
      response.end();
      if (pathname === '/told') answer.resolve(JSON.parse(body));
      else answer.reject(new Error(`in the page: ${body}`));
      return;
    }
    const body = pathname === '/' ? `<!doctype html>${script}` : routes(pathname);
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': TYPES[extname(pathname)] ?? 'text/html' }).end(body);
  });
  await new Promise((listening) => { server.listen(0, '127.0.0.1', listening); });
  const browser = started(program, scratch, [`http://127.0.0.1:${server.address().port}/`]);
  const timer = setTimeout(() => answer.reject(new Error(`the page told nothing in ${seconds} s`)), seconds * 1000);
  ended(browser).then(({ said }) => answer.reject(new Error(`Chromium ended: ${said}`)));
  try {
    return await told;
  } finally {
    clearTimeout(timer);
    // The browser has child processes, so the whole group ends.
    try {
      process.kill(-browser.pid, 'SIGKILL');
    } catch {
      // The browser has already ended.
    }
    server.closeAllConnections();
    server.close();
  }
}

function started(program, scratch, words) {
  const home = fs.mkdtempSync(join(scratch, 'home-'));
  return spawn(program, [...WORDS, `--user-data-dir=${home}`, ...words], { stdio: ['ignore', 'ignore', 'pipe'], detached: true, env: { ...process.env, HOME: home } });
}

function ended(browser) {
  let said = '';
  browser.stderr.on('data', (text) => { said += text; });
  return new Promise((resolve) => {
    browser.on('error', (error) => resolve({ said: error.message }));
    browser.on('exit', (code) => resolve({ said, code }));
  });
}
