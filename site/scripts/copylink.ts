// The link beside a heading goes there, and copies its own address.

export function copyLinks(): void {
  const text = document.querySelector<HTMLElement>("[data-copied]");
  if (!text || !navigator.clipboard) return;
  const status = document.createElement("p");
  status.className = "hidden";
  status.role = "status";
  text.append(status);
  text.addEventListener("click", (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>("a.anchor");
    if (!link) return;
    navigator.clipboard.writeText(link.href).then(
      () => {
        status.textContent = text.dataset["copied"] ?? "";
        link.classList.add("is-copied");
        setTimeout(() => {
          status.textContent = "";
          link.classList.remove("is-copied");
        }, 2000);
      },
      () => undefined, // the reader's browser does not allow it: the address is in its own field
    );
  });
}
