package demofile_test

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/demo/demofile"
	"kubewalk/playground/demo/scenario"
)

// TestManifestsAsJSON is about what the API server is given of a manifest.
func TestManifestsAsJSON(t *testing.T) {
	for _, test := range []struct{ name, yaml, want string }{
		{"order of keys", "{kind: Pod, apiVersion: v1, a: 1}", `{"kind":"Pod","apiVersion":"v1","a":1}`},
		{"numbers", "{a: 1.50, b: 0x10, c: -3, d: 99999999999, e: 1_000, f: 0o17}", `{"a":1.5,"b":16,"c":-3,"d":99999999999,"e":1000,"f":15}`},
		{"texts", "{a: \"1\", b: yes, c: 12:30, d: 2026-01-01, e: 'it''s', f: \"a\\tb\", g: 1e3}",
			`{"a":"1","b":"yes","c":"12:30","d":"2026-01-01","e":"it's","f":"a\tb","g":"1e3"}`},
		{"truth and nothing", "{a: true, b: null, c: ~, d: }", `{"a":true,"b":null,"c":null,"d":null}`},
		{"block texts", "\n    a: |\n      one\n      two\n    b: >-\n      one\n      two\n", `{"a":"one\ntwo\n","b":"one two"}`},
		{"lists", "{a: [], b: [1, [2]], c: {}}", `{"a":[],"b":[1,[2]],"c":{}}`},
		{"a tag", "{a: !!str 5}", `{"a":"5"}`},
		{"an alias", "{a: &l {app: web}, b: *l, c: [*l]}", `{"a":{"app":"web"},"b":{"app":"web"},"c":[{"app":"web"}]}`},
		{"a name used again", "{a: &l 1, b: *l, c: &l 2, d: *l}", `{"a":1,"b":1,"c":2,"d":2}`},
		{"a merged mapping", "\n    a: &base {x: 1, y: 2}\n    b:\n      <<: *base\n      y: 3\n", `{"a":{"x":1,"y":2},"b":{"y":3,"x":1}}`},
		{"merged mappings", "\n    a: &one {x: 1}\n    b: &two {x: 2, y: 2}\n    c:\n      <<: [*one, *two]\n",
			`{"a":{"x":1},"b":{"x":2,"y":2},"c":{"x":1,"y":2}}`},
		{"keys that are no texts", "{1: a, true: b, \"c d\": e}", `{"1":"a","true":"b","c d":"e"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			file, problems := demofile.Parse("x", "x.yaml", []byte("manifests:\n  m: "+test.yaml+"\nsteps:\n  - apply: m\n"), nil)
			compareNone(t, problems)
			if got := string(file.Scenario.Steps[0].Manifest); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// TestEndlessAliases is about files whose aliases make much of little.
func TestEndlessAliases(t *testing.T) {
	lists, merges := "  a0: &a0 [x, x]\n", "  b0: &b0 {x: 1}\n"
	for i := 1; i < 60; i++ {
		from, to := strconv.Itoa(i-1), strconv.Itoa(i)
		lists += "  a" + to + ": &a" + to + " [*a" + from + ", *a" + from + "]\n"
		merges += "  b" + to + ": &b" + to + "\n    <<: [*b" + from + ", *b" + from + "]\n"
	}
	for _, test := range []struct{ name, src, want string }{
		{"itself", "manifests:\n  m: &m {a: *m}\nsteps:\n  - apply: m\n", "it is too large: does an alias refer to something that contains it?"},
		{"lists of lists", "manifests:\n" + lists, "it is too large"},
		{"merges of merges", "manifests:\n" + merges, "mappings are merged more than"},
	} {
		t.Run(test.name, func(t *testing.T) {
			begin := time.Now()
			_, problems := demofile.Parse("x", "x.yaml", []byte(test.src), nil)
			all := ""
			for _, p := range problems {
				all += p.Error() + "\n"
			}
			if !strings.Contains(all, test.want) {
				t.Errorf("got %s, want %s", all, test.want)
			}
			if d := time.Since(begin); d > 5*time.Second {
				t.Errorf("it took %v", d)
			}
		})
	}
}

// TestWhatAFileMeans is the scenario that comes of a file.
func TestWhatAFileMeans(t *testing.T) {
	file, problems := demofile.Parse("demo", "demo.yaml", []byte(good), nil)
	compareNone(t, problems)
	s := file.Scenario
	steps := s.Steps
	for i, want := range []string{"apply", "scale replicasets default/web 2"} {
		if got := steps[i].Input.String(); got != want {
			t.Errorf("step %d: got %q, want %q", i, got, want)
		}
	}
	if s.Setup != 10*time.Second || s.End != 30*time.Second || steps[0].At != 11*time.Second || steps[1].At != 16*time.Second {
		t.Errorf("set-up %v, end %v, steps at %v and %v", s.Setup, s.End, steps[0].At, steps[1].At)
	}
	if s.Seed != 7 || s.Name != "demo" || len(s.Cluster.Nodes) != 2 || s.Title["ja"] != "スケール" || s.Claims[0].Count != "2" {
		t.Errorf("%+v", s)
	}
	// A page hands the scenario on as JSON.
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var back scenario.Scenario
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(&back)
	if err != nil || string(again) != string(text) {
		t.Errorf("as JSON and back: %v\n%s\n%s", err, text, again)
	}
}

// FuzzParse holds for any file: no panic, and every problem has a place in it.
func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte("manifests:\n  a: &a {x: 1}\n  m: {<<: *a, b: [*a, ~]}\nsteps: [{apply: m}]\n"))
	f.Add([]byte("? a\n: b\n--- |\n x\n"))
	for _, path := range books(f) {
		src, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file, problems := demofile.Parse("x", "x.yaml", src, []string{"en", "ja"})
		lines := strings.Count(string(src), "\n") + strings.Count(string(src), "\r") + 1
		for _, p := range problems {
			if p.Line < 1 || p.Line > lines || p.Column < 1 || p.Message == "" {
				t.Errorf("%s: the file has %d lines", p, lines)
			}
		}
		if len(problems) > 0 {
			return
		}
		for _, path := range []string{"", "steps", "steps[0]", "steps[0].manifest.a.b[0].c[d]", "claims[7].count", "no.such[", "x]"} {
			for _, p := range file.Locate([]scenario.Failure{{Path: path, Message: "m"}, {Path: path, Name: true, Message: "m"}}) {
				if p.Line < 1 || p.Line > lines || p.Column < 1 {
					t.Errorf("path %q: %s: the file has %d lines", path, p, lines)
				}
			}
		}
	})
}
