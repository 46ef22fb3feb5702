// Which meetups are to come: the build can only say which were when the book was last
// changed. What is over by the reader's clock is not to come any more; what the build
// knew no date for is shown when it is.

for (const mark of document.querySelectorAll<HTMLElement>("[data-until]")) {
  mark.hidden = Date.now() >= Date.parse(mark.dataset["until"]!);
}

export {};
