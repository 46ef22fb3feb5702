package assets

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kubewalk/generator/build/output"
)

// project is a small one with everything that assets are made of.
func project(t *testing.T, changes map[string]string) string {
	t.Helper()
	files := map[string]string{
		"go.mod":                      "module small\n\ngo 1.26\n",
		"wasm/main.go":                "package main\n\nfunc main() {}\n",
		"site/styles/index.css":       "@import \"./tokens.css\";\na { color: var(--x) }\n",
		"site/styles/tokens.css":      ":root { --x: light-dark(#000000, #ffffff) }\n",
		"site/scripts/frame.ts":       "console.log(2);\n",
		"site/scripts/gone.ts":        "console.log(18);\n",
		"site/offline/page.ts":        "console.log(3);\n",
		"site/offline/worker.ts":      "self.onfetch = () => {};\n",
		"site/embed/embed.ts":         "console.log(17);\n",
		"site/scripts/blocks.ts":      "console.log(4);\n",
		"site/scripts/copy.ts":        "console.log(5);\n",
		"site/scripts/worlds.ts":      "console.log(15);\n",
		"site/scripts/tabs.ts":        "console.log(6);\n",
		"site/search/search.ts":       "console.log(7);\n",
		"site/styles/book.css":        ".b { color: red }\n",
		"site/styles/listing.css":     ".l { color: red }\n",
		"site/styles/front.css":       ".f { color: red }\n",
		"site/scripts/parts.ts":       "console.log(1);\n",
		"site/styles/forms.css":       ".t { color: red }\n",
		"site/styles/drawings.css":    ".d { color: red }\n",
		"site/styles/still.css":       ".s { color: red }\n",
		"site/styles/meetup.css":      ".m { color: red }\n",
		"site/styles/posts.css":       ".p { color: red }\n",
		"site/styles/walk.css":        ".m { color: red }\n",
		"site/styles/links.css":       ".n { color: red }\n",
		"site/scripts/meetups.ts":     "console.log(16);\n",
		"site/scripts/theme.ts":       "const dark: boolean = true; if (dark) console.log(1);\n",
		"site/widgets/index.ts":       "import \"./player.css\"; import { n } from \"./n.ts\"; console.log(n);\n",
		"site/talk/talk.ts":           "console.log(2);\n",
		"site/widgets/n.ts":           "export const n: number = 1;\n",
		"site/widgets/player.css":     ".p { color: red }\n",
		"site/widgets/runs/worker.ts": "self.onmessage = () => {};\n",
		"site/icon.svg":               "<svg/>",
	}
	for name, text := range changes {
		files[name] = text
	}
	root := t.TempDir()
	for name, text := range files {
		full := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestMake(t *testing.T) {
	root := project(t, nil)
	tree := output.NewTree()
	maker := new(Maker)
	set, err := maker.Make(tree, Options{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	for what, want := range map[string][3]string{
		set.Theme:     {"assets/theme-", ".js", "console.log(1)"},
		set.Page:      {"assets/index-", ".js", "console.log(1)"},
		set.Worker:    {"assets/worker-", ".js", "onmessage"},
		set.Icon:      {"assets/icon-", ".svg", "<svg/>"},
		set.Wasm:      {"assets/kubewalk-", ".wasm.zst", "\x28\xb5\x2f\xfd"},
		set.Styles[0]: {"assets/index-", ".css", "light-dark("},
		set.Player:    {"assets/player-", ".css", "color:red"},
	} {
		data, ok := tree.Get(what)
		if !ok || !strings.HasPrefix(what, want[0]) || !strings.HasSuffix(what, want[1]) || !strings.Contains(string(data), want[2]) {
			t.Errorf("%s: want %v, got %.200s", what, want, data)
		}
	}
	if !strings.HasPrefix(string(packed(maker.wasm)), tableMagic) {
		t.Error("this Go's table of functions was not found in the WebAssembly")
	}
	// A change of one file changes its name and no other.
	if err := os.WriteFile(filepath.Join(root, "site/widgets/n.ts"), []byte("export const n: number = 2;\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	after, err := maker.Make(output.NewTree(), Options{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	if after.Page == set.Page || after.Theme != set.Theme || after.Wasm != set.Wasm {
		t.Errorf("before %+v\nafter  %+v", set, after)
	}
	// For authors: readable, with a map.
	tree = output.NewTree()
	after, err = maker.Make(tree, Options{Root: root, Dev: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := tree.Get(after.Page + ".map"); !ok {
		t.Errorf("no source map: %v", tree.Paths())
	}
}

func TestProblemsNamePlaces(t *testing.T) {
	root := project(t, map[string]string{
		"site/widgets/index.ts":       "import { x } from \"./nowhere.ts\"; console.log(x);\n",
		"site/widgets/runs/worker.ts": "const a = ;\n",
		"wasm/main.go":                "package main\n\nfunc main() { unknown() }\n",
	})
	_, err := new(Maker).Make(output.NewTree(), Options{Root: root})
	if err == nil {
		t.Fatal("made")
	}
	for _, want := range []string{
		`site/widgets/index.ts:1:19: Could not resolve "./nowhere.ts"`,
		`site/widgets/runs/worker.ts:1:11: Unexpected ";"`,
		`wasm/main.go:3:15: undefined: unknown`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("not said: %s\n%v", want, err)
		}
	}
}
