package embedded

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"kubewalk/generator/build/assets"
	"kubewalk/generator/build/output"
)

func TestWhatIsWrittenIsCarried(t *testing.T) {
	made, sources := output.NewTree(), output.NewTree()
	set := &assets.Set{Styles: []string{made.PutHashed("assets/index.css", []byte("a{}"))}, Wasm: made.PutHashed("assets/kubewalk.wasm", []byte("\x00asm")),
		Still: ".x{}"}
	sources.Put("source/playground/a.go.json.gz", []byte("{}"))
	var first, second bytes.Buffer
	for _, out := range []*bytes.Buffer{&first, &second} {
		if err := Write(out, set, made, sources); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the same files make another archive")
	}
	theme, err := read(first.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	tree := output.NewTree()
	got, err := theme.Assets(tree, assets.Options{Root: "nowhere"})
	if err != nil || !reflect.DeepEqual(got, set) {
		t.Errorf("%+v, %v", got, err)
	}
	if err := theme.Sources(tree); err != nil {
		t.Fatal(err)
	}
	if list := strings.Join(tree.Paths(), " "); list != set.Styles[0]+" "+set.Wasm+" source/playground/a.go.json.gz" {
		t.Errorf("there are %s", list)
	}
	if data, _ := tree.Get(set.Wasm); string(data) != "\x00asm" {
		t.Errorf("wasm is %q", data)
	}
	if _, err := read([]byte("no archive")); err == nil {
		t.Error("anything is an archive")
	}
}

func TestAGeneratorFromSourceCarriesNothing(t *testing.T) {
	if _, ok := Open(); ok {
		t.Error("it carries something")
	}
}
