// Reads as much of WIT as there is in `wit/`: types with their documentation. What it does not know is an error.

const NAME = '%?[a-z][a-z0-9-]*';

/** The records, variants, enums, type names and functions of a file, each with its documentation. */
export function parse(text) {
  const found = { records: {}, variants: {}, functions: {}, aliases: {} };
  let docs = [];
  let block; // The record or variant that is being read.
  let inUse = false; // The names of a `use` may stand on several lines.
  for (const [number, line] of text.split('\n').entries()) {
    const words = line.trim();
    const matched = (pattern) => words.match(new RegExp(`^${pattern}$`));
    const take = () => docs.splice(0).join('\n');
    let match;
    if (inUse) {
      inUse = !words.endsWith(';');
    } else if (words.startsWith('///')) {
      docs.push(words.slice(3).trim());
    } else if (words === '' || words.startsWith('//')) {
      docs = words === '' && !block ? [] : docs;
    } else if ((match = matched(`(record|variant|enum|flags) (${NAME}) \\{`))) {
      block = { kind: match[1], docs: take(), items: [] };
      found[match[1] === 'record' ? 'records' : 'variants'][match[2]] = block;
    } else if (block && words === '}') {
      block = undefined;
    } else if (block?.kind === 'record' && (match = matched(`(${NAME}): (.+),`))) {
      block.items.push({ name: match[1], type: match[2], docs: take() });
    } else if (block && (match = matched(`(${NAME})(?:\\((.+)\\))?,`))) {
      block.items.push({ name: match[1], type: match[2], docs: take() });
    } else if ((match = matched(`(${NAME}): func\\((?:(?:args|start|directory): (.+))?\\)(?: -> (.+))?;`))) {
      found.functions[match[1]] = { args: match[2], outcome: match[3], docs: take() };
    } else if ((match = matched(`type (${NAME}) = (.+);`))) {
      found.aliases[match[1]] = { type: match[2], docs: take() };
    } else if (words.startsWith('use ')) {
      inUse = !words.endsWith(';');
    } else if (/^(package|interface|world|import|export|include)\b/.test(words) || words === '}') {
      docs = [];
    } else {
      throw new Error(`line ${number + 1}: \`${words}\` is no WIT that is known here`);
    }
  }
  return found;
}
