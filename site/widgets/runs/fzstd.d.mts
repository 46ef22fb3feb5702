/** A frame that is being read. */
export interface Frame {
  /** Where the next block begins in what was compressed. */
  b: number;
  /** How much is decompressed. */
  y: number;
  /** 1 once the last block is read. */
  l: number;
  /** How far back a block may reach. */
  e: number;
  /** How large it will be. */
  u: number;
}

/** Reads a frame's header, for one whose blocks are decompressed into a buffer. For a frame that is to be skipped it is where that ends. */
export function readHeader(data: Uint8Array, into: Uint8Array | 0): Frame | number;

/** Reads a block, unless it is not there whole. */
export function readBlock(data: Uint8Array, frame: Frame, into: Uint8Array): Uint8Array | undefined;
