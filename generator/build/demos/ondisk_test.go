package demos

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestOnDiskKeepsWhatWasMadeOfTheSameText(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "demos")
	runs := 0
	run := func(name, file string, text []byte, in Languages) (*Demo, error) {
		runs++
		return &Demo{Name: name, Title: map[string]string{"en": string(text)}, Files: map[string][]byte{"wide.json": text},
			Marks: []Still{{ID: "m", At: time.Second}}}, nil
	}
	made := func(name, text string, languages ...string) *Demo {
		t.Helper()
		d, err := OnDisk(dir, run)(name, name+".yaml", []byte(text), Languages{Codes: languages}) // another process has nothing else
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	first := made("a", "1", "en")
	again := made("a", "1", "en")
	if runs != 1 || again.Version() != first.Version() || again.Marks[0].At != time.Second || again.Title["en"] != "1" {
		t.Errorf("%d runs; kept %+v", runs, again)
	}
	made("a", "2", "en")
	made("a", "1", "en", "ja")
	if made("b", "1", "en"); runs != 4 {
		t.Errorf("%d runs of four different demos", runs)
	}

	files, _ := filepath.Glob(filepath.Join(dir, "b.*"))
	if err := os.WriteFile(files[0], []byte("half"), 0o644); err != nil {
		t.Fatal(err)
	}
	if made("b", "1", "en"); runs != 5 {
		t.Error("a file that is broken was taken")
	}
	for _, text := range []string{"3", "4", "5", "6", "7"} {
		made("a", text, "en")
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "a.*")); len(files) > versionsPerDemo {
		t.Errorf("%d files of one demo stay", len(files))
	}
}
