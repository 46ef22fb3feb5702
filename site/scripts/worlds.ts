// What sentences say of counterfactuals leads to the demo, where the storyboard is.
// With script it leads on: to that world beside the real one, since such sentences
// compare. site/widgets/state/link.ts has the form.

for (const link of document.querySelectorAll<HTMLAnchorElement>("a[data-world]")) {
  const [world, seed, at] = link.dataset["world"]!.split(" ");
  link.hash = `demo=${link.hash.slice("#demo-".length)}&seed=${seed}&versus=&versus-what-if=${world}&at=${at}`;
}

export {};
