// Texts that are made where there is no page, too.

/** {name} in one of the player's words; of {n:step|steps} the first when n is 1. */
export function put(template: string, args: Record<string, string | number>): string {
  return template.replace(/\{(\w+)(?::([^}|]*)\|([^}]*))?\}/g, (_, name: string, one?: string, more?: string) => {
    const value = String(args[name] ?? "");
    return one === undefined ? value : value === "1" ? one : more!;
  });
}

/** A Japanese number and its counter stay in one line, as in a chapter's text (generator/render/markdown/counters.go). */
export const tied = (text: string) => text.replace(/(\d) (?=[つ個台件本回行秒分時日週月年枚種番章節語字人名段倍割列度点組者歳巡])/g, "$1\u00a0");

/** The text of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
