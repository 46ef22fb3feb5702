// Texts that are made where there is no page, too.

/** {name} in one of the player's words; of {n:step|steps} the first when n is 1. */
export function put(template: string, args: Record<string, string | number>): string {
  return template.replace(/\{(\w+)(?::([^}|]*)\|([^}]*))?\}/g, (_, name: string, one?: string, more?: string) => {
    const value = String(args[name] ?? "");
    return one === undefined ? value : value === "1" ? one : more!;
  });
}

/** The text of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
