// Trusted Types: the site's content security policy (generator/build/headers) lets no text become a script's address or HTML that is
// parsed, but what one of our policies has looked at. Each has its name there. A browser without them gets the same checks.
// https://developer.mozilla.org/docs/Web/API/Trusted_Types_API

type Rules = Partial<Record<"createHTML" | "createScriptURL", (text: string) => string>>;
type Factory = { createPolicy<R extends Rules>(name: string, rules: R): R };

/** The policy of that name; without Trusted Types its rules alone. A page may make it once. */
export function policy<R extends Rules>(name: string, rules: R): R {
  const { trustedTypes } = globalThis as { trustedTypes?: Factory };
  return trustedTypes?.createPolicy(name, rules) ?? rules;
}
