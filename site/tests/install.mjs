// Sees to it that there is a browser for the tests: the one that is there, else
// Debian's package where this may install it, else says what to do.

import { spawnSync } from "node:child_process";
import { findBrowser } from "./harness.mjs";

try {
  console.log(findBrowser());
} catch (error) {
  const apt = spawnSync("apt-get", ["--version"]).status === 0;
  if (process.env.CHROME_PATH || !apt || process.getuid?.() !== 0) {
    console.error(error.message);
    process.exit(1);
  }
  const options = { stdio: "inherit", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
  const packages = ["chromium", "fonts-noto-cjk"];
  const done =
    spawnSync("apt-get", ["install", "-y", "--no-install-recommends", ...packages], options).status === 0 ||
    (spawnSync("apt-get", ["update"], options).status === 0 &&
      spawnSync("apt-get", ["install", "-y", "--no-install-recommends", ...packages], options).status === 0);
  if (!done) {
    console.error("apt-get could not install chromium: install a Chromium or Chrome, or set CHROME_PATH to its program");
    process.exit(1);
  }
  console.log(findBrowser());
}
