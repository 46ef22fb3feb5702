// Sees to it that there are browsers, and Java for the W3C's checker, for the tests: those that are there, else
// Debian's packages where this may install them, else says what to do.

import { spawnSync } from "node:child_process";
import { findBrowser, findFirefox, findJava } from "./harness.mjs";

for (const { find, packages, variable } of [
  { find: findBrowser, packages: ["chromium", "fonts-noto-cjk"], variable: "CHROME_PATH" },
  { find: findFirefox, packages: ["firefox-esr", "fonts-noto-cjk"], variable: "FIREFOX_PATH" },
  { find: findJava, packages: ["default-jre-headless"], variable: "JAVA_HOME" },
]) {
  try {
    console.log(find());
  } catch (error) {
    install(error, packages, variable);
    console.log(find());
  }
}

function install(error, packages, variable) {
  const apt = spawnSync("apt-get", ["--version"]).status === 0;
  if (process.env[variable] || !apt || process.getuid?.() !== 0) {
    console.error(error.message);
    process.exit(1);
  }
  const options = { stdio: "inherit", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
  const get = () => spawnSync("apt-get", ["install", "-y", "--no-install-recommends", ...packages], options).status === 0;
  if (get() || (spawnSync("apt-get", ["update"], options).status === 0 && get())) return;
  console.error(`apt-get could not install ${packages[0]}: install it, or set ${variable} to the browser's program`);
  process.exit(1);
}
