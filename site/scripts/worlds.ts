// What sentences say of counterfactuals leads to the demo, where the storyboard is.
// With script it leads on, into that world: link.ts has the form.

for (const link of document.querySelectorAll<HTMLAnchorElement>("a[data-experiment]")) link.hash = link.dataset["experiment"]!;

export {};
