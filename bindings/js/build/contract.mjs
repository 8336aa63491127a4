// Makes what stands in `src/generated`. `contract.ts`: operations and their types from the catalogue, which the component itself tells; codes
// of errors and front ends, which no schema is about, from `wit/`. `tables.ts`: what the package looks up while it runs.

const camel = (name) => name.replace(/^%/, '').replace(/[-_]([a-z0-9])/g, (_, letter) => letter.toUpperCase());
const pascal = (name) => camel(name).replace(/^./, (letter) => letter.toUpperCase());
const snake = (name) => name.replace(/-/g, '_');

/** @param catalogue what the component's `tools` returns, its schemas parsed */
export function contract(catalogue, types, frontEnds) {
  const file = new File(catalogue);
  return [
    '// Made by `build/contract.mjs` from the component and from `wit/`.\n',
    "import { FsgateError } from '../errors.js';\n",
    file.operations(),
    ...file.nested.map(({ text }) => text),
    ...errors(file, types),
    ...others(file, frontEnds, types),
  ].join('\n');
}

/** @param cores the names of the modules that the component is made of */
export function tables(catalogue, cores, { functions, records: types }) {
  const urls = cores.map((name) => `  ${quoted(name)}: new URL(${quoted(`../component/${name}`)}, import.meta.url),\n`);
  const told = catalogue.map(({ name, outcomeSchema, annotations }) =>
    `  ${name}: { bytes: [${base64(outcomeSchema).map(quoted)}], readOnly: ${annotations.readOnly} },\n`);
  const taken = Object.entries(functions).map(([name, { args }]) =>
    `  ${camel(name)}: [${types[args].items.map((item) => quoted(camel(item.name))).join(', ')}],\n`);
  return [
    '// Made by `build/contract.mjs` from the component and from `wit/`.\n\n',
    '/** The modules that the component is made of, and where their bytes are. */\n',
    `export const cores: Readonly<Record<string, URL>> = {\n${urls.join('')}};\n\n`,
    '/** The operations by their names in JSON: what of their outcomes is bytes, and whether they change nothing. */\n',
    `export const operations: Readonly<Record<string, { bytes: readonly string[]; readOnly: boolean }>> = {\n${told.join('')}};\n\n`,
    '/** The arguments of each front end. */\n',
    `export const frontEnds: Readonly<Record<string, readonly string[]>> = {\n${taken.join('')}};\n`,
  ].join('');
}

class File {
  nested = [];

  constructor(catalogue) {
    this.catalogue = catalogue;
    this.words = new Set(catalogue.flatMap((tool) => [tool.name, ...names(tool.inputSchema), ...names(tool.outcomeSchema)]));
    this.uses = new Map();
    for (const tool of catalogue) {
      const all = [tool.inputSchema, tool.outcomeSchema].flatMap(records).map((record) => JSON.stringify(record));
      for (const text of new Set(all)) this.uses.set(text, (this.uses.get(text) ?? 0) + 1);
    }
  }

  operations() {
    const methods = this.catalogue.map((tool) => {
      const required = tool.inputSchema.required.length > 0;
      const examples = tool.inputSchema.examples.map((example) => `@example\nawait gate.${camel(tool.name)}(${literal(example)})`);
      const type = pascal(tool.name);
      this.record(`${type}Args`, tool.inputSchema, `Arguments of \`${camel(tool.name)}\`.`, tool.name);
      this.record(`${type}Outcome`, tool.outcomeSchema, `What \`${camel(tool.name)}\` returns.`, tool.name);
      return this.docs([tool.description, ...examples].join('\n\n'), '  ')
        + `  ${camel(tool.name)}(args${required ? '' : '?'}: ${type}Args): Promise<${type}Outcome>;\n`;
    });
    return [
      this.docs('Every operation. What is refused is thrown, as the class of its code.'),
      `export interface Operations {\n${methods.join('\n')}}\n`,
    ].join('');
  }

  /** Writes a record down under a name. */
  record(name, schema, docs, tool) {
    const place = { name, json: JSON.stringify(schema) };
    this.nested.push(place);
    const fields = Object.entries(schema.properties).map(([field, of]) => {
      const optional = schema.required.includes(field) ? '' : '?';
      const without = of.default === undefined ? '' : `\n@default ${JSON.stringify(of.default)}`;
      const range = of.maximum === undefined || of.maximum === 4294967295 ? '' : `\nAt most ${of.maximum.toLocaleString('en')}.`;
      return `${this.docs(of.description + range + without, '  ')}  ${camel(field)}${optional}: ${this.type(of, field, tool, `In \`${field}\`: ${of.description}`)};\n`;
    });
    place.text = `${this.docs(docs)}export interface ${name} {\n${fields.join('')}}\n`;
  }

  /** The type of a field. `docs` is what the field is, should it need a record of its own. */
  type(schema, field, tool, docs) {
    if (schema.enum) return schema.enum.map(quoted).join(' | ');
    if (schema.contentEncoding === 'base64') return 'Uint8Array';
    if (schema.type === 'string' || schema.type === 'boolean') return schema.type;
    if (schema.type === 'integer') return 'number';
    if (schema.type === 'array') {
      const one = field.replace(/ies$/, 'y').replace(/(ch|x)es$/, '$1').replace(/s$/, '');
      const item = this.type(schema.items, one, tool, docs);
      return item.includes(' ') ? `(${item})[]` : `${item}[]`;
    }
    if (schema.type !== 'object') throw new Error(`no type is known for ${JSON.stringify(schema)}`);
    const json = JSON.stringify(schema);
    const known = this.nested.find((record) => record.json === json);
    if (known) return known.name;
    // What several operations have in common has no operation in its name.
    const plain = pascal(field);
    const name = this.uses.get(json) > 1 && !this.nested.some((record) => record.name === plain) ? plain : pascal(tool) + plain;
    if (this.nested.some((record) => record.name === name)) throw new Error(`two records would be named ${name}`);
    this.record(name, schema, docs, tool);
    return name;
  }

  /** Documentation, with names as they are here. */
  docs(text, indent = '') {
    const here = text.replace(/`([a-z]+(?:[_-][a-z]+)+)`/g, (all, name) => (this.words.has(snake(name)) ? `\`${camel(name)}\`` : all));
    const lines = here.replaceAll('*/', '*\\/').split('\n');
    if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
    return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`, ''].join('\n');
  }
}

/** A class for each code, with what comes with it. */
function errors(file, { variants, records: types, aliases }) {
  const carried = new Set();
  const payload = (type) => {
    const simple = { u32: 'number', u64: 'number', string: 'string' }[type];
    if (simple) return simple;
    const inner = type.match(/^(list|option)<(.+)>$/);
    if (inner) return payload(inner[2]) + (inner[1] === 'list' ? '[]' : ' | null');
    if (variants[type]) return variants[type].items.map(({ name }) => quoted(snake(name))).join(' | ');
    if (aliases[type]) return payload(aliases[type].type);
    carried.add(type);
    return pascal(type);
  };
  const { items } = variants.code;
  const classes = items.map(({ name, type, docs }) => {
    const field = type && `${file.docs(aliases[type]?.docs || docs, '  ')}  declare readonly ${camel(type)}: ${payload(type)};\n`;
    return `${file.docs(docs)}export class ${pascal(name)}Error extends FsgateError {\n`
      + `  override readonly name = '${pascal(name)}Error';\n  declare readonly code: '${snake(name)}';\n${field ?? ''}}\n`;
  });
  const table = items.map(({ name }) => `  ${snake(name)}: ${pascal(name)}Error,\n`).join('');
  const interfaces = [...carried].map((type) => {
    const fields = types[type].items.map((item) => `${file.docs(item.docs, '  ')}  ${camel(item.name)}: ${payload(item.type)};\n`);
    return `${file.docs(types[type].docs)}export interface ${pascal(type)} {\n${fields.join('')}}\n`;
  });
  return [...interfaces, ...classes, `FsgateError.register({\n${table}});\n`];
}

/** The languages of other systems: records and variants, as jco has them. */
function others(file, own, common) {
  const found = (kind, name) => own[kind][name] ?? common[kind][name];
  const named = new Map();
  const type = (wit) => {
    const simple = { bool: 'boolean', string: 'string', u8: 'number', u16: 'number', u32: 'number', u64: 'bigint', s32: 'number', s64: 'bigint' }[wit];
    if (simple) return simple;
    if (wit === 'list<u8>') return 'Uint8Array';
    const inner = wit.match(/^(list|option)<(.+)>$/);
    if (inner) return inner[1] === 'list' ? `${type(inner[2])}[]` : `${type(inner[2])} | undefined`;
    if (found('aliases', wit)) return type(found('aliases', wit).type);
    if (!found('records', wit) && !found('variants', wit)) throw new Error(`no type is known for ${wit}`);
    if (!named.has(wit)) {
      named.set(wit, '');
      named.set(wit, found('records', wit) ? record(wit, found('records', wit)) : variant(wit, found('variants', wit)));
    }
    return pascal(wit);
  };
  const plain = (docs) => docs.replace(/^@(default|range) .*$/gm, '').trim();
  const record = (name, { docs, items }) => {
    const fields = items.map((item) => {
      const optional = item.type.match(/^option<(.+)>$/);
      return `${file.docs(plain(item.docs), '  ')}  ${camel(item.name)}${optional ? '?' : ''}: ${type(optional?.[1] ?? item.type)};\n`;
    });
    return `${file.docs(plain(docs))}export interface ${pascal(name)} {\n${fields.join('')}}\n`;
  };
  const variant = (name, { kind, docs, items }) => {
    const cases = items.map((item) => {
      const tag = quoted(item.name.replace(/^%/, ''));
      const value = item.type ? `{ tag: ${tag}; val: ${type(item.type)} }` : `{ tag: ${tag} }`;
      return `${file.docs(plain(item.docs), '  ')}  | ${kind === 'enum' ? tag : value}`;
    });
    return `${file.docs(plain(docs))}export type ${pascal(name)} =\n${cases.join('\n')};\n`;
  };
  const methods = Object.entries(own.functions).map(([name, { args, outcome, docs }]) =>
    `${file.docs(docs, '  ')}  ${camel(name)}(args: ${type(args)}): Promise<${type(outcome)}>;\n`);
  const docs = 'The languages of other systems: a text goes in, the operations do what it says, the answer is in that system\'s own words.';
  return [...named.values(), `${file.docs(docs)}export interface FrontEnds {\n${methods.join('')}}\n`];
}

/** Every schema of an object in a schema, but for the outermost one. */
function records(schema) {
  const inner = [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])];
  return inner.flatMap((one) => [...(one.type === 'object' ? [one] : []), ...records(one)]);
}

function names(schema) {
  return [schema, ...records(schema)].flatMap(({ properties }) => Object.keys(properties ?? {}));
}

function base64({ properties }) {
  return Object.keys(properties).filter((name) => properties[name].contentEncoding === 'base64').map(camel);
}

function quoted(text) {
  return `'${text.replaceAll("'", "\\'")}'`;
}

/** An example as one would write it. */
function literal(value) {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'object') return `{ ${Object.entries(value).map(([name, field]) => `${camel(name)}: ${literal(field)}`).join(', ')} }`;
  return JSON.stringify(value);
}
