package assets

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"kubewalk/generator/build/output"
)

// parts is a page's script with two parts that share things with each other, with the entry and with parts of their own.
var parts = map[string]string{
	"entry.ts":  `import { base } from "./base"; console.log("entry " + base()); void import("./big").then((m) => m.run()).then(() => import("./small")).then((m) => m.run());`,
	"base.ts":   `let n = 0; export const base = () => ++n;`,
	"both.ts":   `let n = 10; export const both = () => ++n;`,
	"beside.ts": `export default class { static n = 100; next() { return ++(this.constructor as any).n } }`,
	"own.ts":    `let n = 1000; export const own = () => ++n; export const unused = 1; console.log("own, once");`,
	"big.ts": `import { base } from "./base"; import { both } from "./both"; import Beside from "./beside"; import { own } from "./own";
		export const run = async () => { console.log("big " + [base(), both(), new Beside().next(), own()]); await import("./later").then((m) => m.run()); };`,
	"small.ts": `import { base } from "./base"; import { both } from "./both"; import Beside from "./beside";
		export const run = async () => console.log("small " + [base(), both(), new Beside().next()]);`,
	"later.ts": `import { base } from "./base"; import { both } from "./both"; import { own } from "./own"; import "./effect";
		export const run = async () => { console.log("later " + [base(), both(), own()]); await import("./last").then((m) => m.run()); };`,
	"last.ts":   `import { own } from "./own"; import "./effect"; export const run = () => console.log("last " + own());`,
	"effect.ts": `console.log("effect, once");`,
}

func TestJoin(t *testing.T) {
	root := t.TempDir()
	for name, text := range parts {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put := func(dev bool) (entry string, dir string, names []string) {
		tree := output.NewTree()
		script, _, err := Options{Root: root, Dev: dev}.bundle(tree, api.FormatESModule, "entry.ts")
		if err != nil {
			t.Fatal(err)
		}
		dir = t.TempDir()
		tree.Put("assets/package.json", []byte(`{"type":"module"}`))
		if err := os.Mkdir(filepath.Join(dir, "assets"), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, name := range tree.Paths() {
			data, _ := tree.Get(name)
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(name, ".js") {
				names = append(names, name)
			}
		}
		return script, dir, names
	}
	run := func(script, dir string) string {
		said, err := exec.Command("node", filepath.Join(dir, script)).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		return string(said)
	}
	script, dir, names := put(false)
	// The entry, its two parts, what both of them load, the two that are loaded later, and what those share.
	if len(names) != 7 {
		t.Errorf("files: %v", names)
	}
	text, err := os.ReadFile(filepath.Join(dir, script))
	if err != nil {
		t.Fatal(err)
	}
	if at := strings.Index(string(text), `"./big-`); at < 0 || !strings.Contains(string(text)[:at], `import("./chunk-`) || strings.Contains(string(text), `from"./`) {
		t.Errorf("the entry loads something before its parts, or does not fetch what big needs together with it:\n%s", text)
	}
	plain, plainDir, many := put(true)
	if got, want := run(script, dir), run(plain, plainDir); got != want || !strings.Contains(want, "later 3,12,1002") {
		t.Errorf("joined:\n%s\nas esbuild splits it:\n%s", got, want)
	}
	if len(many) <= len(names) {
		t.Errorf("%d files are as few as %d", len(names), len(many))
	}
	// An entry that waits for its parts is not imported by them.
	if err := os.WriteFile(filepath.Join(root, "entry.ts"), []byte(strings.ReplaceAll(parts["entry.ts"], "void import", "await import")), 0o600); err != nil {
		t.Fatal(err)
	}
	waiting, waitingDir, _ := put(false)
	if got, want := run(waiting, waitingDir), run(script, dir); got != want {
		t.Errorf("where the entry waits:\n%s\nwhere it does not:\n%s", got, want)
	}
	script = waiting
	// Any change gives all files other names: each may name any other.
	if err := os.WriteFile(filepath.Join(root, "last.ts"), []byte(`import { own } from "./own"; import "./effect"; export const run = () => console.log("end " + own());`), 0o600); err != nil {
		t.Fatal(err)
	}
	after, _, _ := put(false)
	if after == script {
		t.Error("the entry has the same name, and another part")
	}
}
