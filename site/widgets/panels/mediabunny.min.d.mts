/** A file that is being written. */
export class Output {
  constructor(options: { format: Mp4OutputFormat | WebMOutputFormat; target: BufferTarget });
  addVideoTrack(source: EncodedVideoPacketSource, metadata: { frameRate: number }): void;
  start(): Promise<void>;
  finalize(): Promise<void>;
}

/** Where it is written to. */
export class BufferTarget {
  /** The file, once it is finalized. */
  buffer: ArrayBuffer | null;
}

export class Mp4OutputFormat {
  readonly fileExtension: string;
  readonly mimeType: string;
}

export class WebMOutputFormat {
  readonly fileExtension: string;
  readonly mimeType: string;
}

/** A track of pictures that are encoded. */
export class EncodedVideoPacketSource {
  constructor(codec: "avc" | "vp9" | "vp8");
  /** Adds the next one; the first needs the decoder's configuration. */
  add(packet: EncodedPacket, meta?: EncodedVideoChunkMetadata): Promise<void>;
}

export class EncodedPacket {
  static fromEncodedChunk(chunk: EncodedVideoChunk): EncodedPacket;
}
