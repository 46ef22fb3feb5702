/** A QR code as rows of modules, which are true where they are dark; border is the quiet zone, in modules. */
export function encodeQR(text: string, output: "raw", options: { ecc: "low" | "medium" | "quartile" | "high"; border: number }): boolean[][];
