// What the runner of the corpus takes from Node, and a browser does not have.

export { Buffer } from 'buffer/';
