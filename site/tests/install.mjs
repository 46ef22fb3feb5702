// Sees to it that there are browsers, and Java for the W3C's checker, for the tests: those that are there, else
// Debian's packages where this may install them, else says what to do.

import { spawnSync } from "node:child_process";
import { basename } from "node:path";
import { findBrowser, findFirefox, findJava, headlessShell } from "./harness.mjs";

const canInstall = process.getuid?.() === 0 && spawnSync("apt-get", ["--version"]).status === 0;

// Not every Debian has it; any Chromium will do then.
if (canInstall && !process.env.CHROME_PATH && basename(findOr("")) !== headlessShell) get([headlessShell, "fonts-noto-cjk"]);

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

function findOr(none) {
  try {
    return findBrowser();
  } catch {
    return none;
  }
}

/** Has Debian's packages installed; false where that cannot be. */
function get(packages) {
  const options = { stdio: "inherit", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
  const once = () => spawnSync("apt-get", ["install", "-y", "--no-install-recommends", ...packages], options).status === 0;
  return once() || (spawnSync("apt-get", ["update"], options).status === 0 && once());
}

function install(error, packages, variable) {
  if (process.env[variable] || !canInstall) {
    console.error(error.message);
    process.exit(1);
  }
  if (get(packages)) return;
  console.error(`apt-get could not install ${packages[0]}: install it, or set ${variable} to the browser's program`);
  process.exit(1);
}
