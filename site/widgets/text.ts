// Texts that are made where there is no page, too.

/** {name} in one of the player's words. */
export function put(template: string, args: Record<string, string | number>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => String(args[name] ?? ""));
}

/** The text of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
