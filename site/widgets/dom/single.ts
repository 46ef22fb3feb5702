// A demo as one file (generator/format/singlefile): its page holds what it fetches, and its policy lets it reach nothing, wherever it is opened.

/** Whether this page is such a file. */
export const isSingleFile = () => document.getElementById("kubewalk-files") !== null;
