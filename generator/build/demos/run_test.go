package demos

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"kubewalk/generator/book/claim"
	"kubewalk/generator/problem"
	"kubewalk/playground/demo/recording"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/demo/scene"
)

const small = `title: {en: Scale, ja: スケール}
seed: 7
cluster: {nodes: 2}
setup: 10s
end: 15s
manifests:
  web:
    apiVersion: apps/v1
    kind: ReplicaSet
    metadata: {name: web}
    spec:
      replicas: 1
      selector: {matchLabels: {app: web}}
      template:
        metadata: {labels: {app: web}}
        spec: {containers: [{name: web, image: nginx}]}
steps:
  - {id: apply, at: 1s, apply: web}
claims:
  - after: apply
    within: 10s
    objects: {resource: pods, fields: {status.phase: Running}}
    count: 1
marks:
  - id: stored
    after: apply
    when: {op: store.commit, object: replicasets default/web}
    caption: {en: It is stored., ja: 保存されました。}
  - id: started
    after: apply
    when: {op: container.start}
    caption: {en: It runs., ja: 動いています。}
controls:
  - scale: {replicaset: web, min: 0, max: 9}
  - stop: [kube-scheduler]
    label: {en: Crash, ja: クラッシュ}
  - kill-node: [node-1, node-2]
  - start-node: [node-1]
  - delete: {pod: web-*}
  - drop-watch: [kube-scheduler]
  - stop: [kube-scheduler]
  - start: [kube-scheduler]
`

func TestRun(t *testing.T) {
	languages := []string{"en", "ja"}
	d, err := Run("small", "demos/small.yaml", []byte(small), Languages{Codes: languages})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(d.FileNames(), " "), "details.json.gz managers.json.gz narrow.json.gz scenario.json.gz wide.json.gz"; got != want {
		t.Errorf("files %s, want %s", got, want)
	}
	var s scenario.Scenario
	if err := json.Unmarshal(textOf(t, d, "scenario.json"), &s); err != nil || s.Name != "small" || len(s.Steps) != 1 || len(s.Problems()) != 0 {
		t.Errorf("scenario.json: %v, %+v", err, s)
	}
	var details recording.Details
	if err := json.Unmarshal(textOf(t, d, "details.json"), &details); err != nil || len(details.Stacks) < 10 {
		t.Errorf("details.json: %v, %d stacks", err, len(details.Stacks))
	}
	run, err := claim.Open(d.Record, textOf(t, d, "details.json"))
	if err != nil {
		t.Fatal(err)
	}
	for asks, want := range map[string]string{"demo:small@started": "2", "demo:small@started rs/web .metadata.generation": "1",
		"demo:small count store.commit object=*web type=ADDED": "1"} {
		c, err := claim.Parse(asks)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := c.On(run); err != nil || v.String() != want {
			t.Errorf("%s: %v, %v, want %s", asks, v, err, want)
		}
	}
	if d.Title["ja"] != "スケール" {
		t.Errorf("title %v", d.Title)
	}
	storyboardOf(t, d, languages)
	for i, want := range []string{
		"Replicas of web: 0 to 9 / web のレプリカ数: 0～9",
		"Crash: / クラッシュ: ",
		"Cut the power of node-1, node-2: / node-1, node-2 の電源を切る: ",
		"Boot node-1: / node-1 の電源を入れる: ",
		"Delete the oldest web-* (pods): / web-* のうち最も古いものを削除（pods）: ",
		"Break the watches of kube-scheduler: / kube-scheduler の watch を切断する: ",
		"Crash kube-scheduler: / kube-scheduler をクラッシュさせる: ",
		"Start kube-scheduler: / kube-scheduler を起動する: ",
	} {
		c := d.Controls[i]
		got := fmt.Sprintf("%s: %s/ %s: %s", c.Label["en"], strings.TrimPrefix(c.Range["en"]+" ", " "), c.Label["ja"], c.Range["ja"])
		if got != want {
			t.Errorf("control %d: got %q, want %q", i, got, want)
		}
	}
}

func storyboardOf(t *testing.T, d *Demo, languages []string) {
	t.Helper()
	if len(d.Marks) != 2 || d.Marks[0].ID != "stored" || d.Marks[1].ID != "started" {
		t.Fatalf("%d stills", len(d.Marks))
	}
	for _, m := range d.Marks {
		for _, lang := range languages {
			for _, l := range layouts {
				svg := m.SVG[lang][l]
				if !strings.HasPrefix(svg, "<svg") || !strings.HasSuffix(strings.TrimSpace(svg), "</svg>") || !strings.Contains(svg, m.Caption[lang]) {
					t.Errorf("still %s in %s, %s: %.200s", m.ID, lang, l, svg)
				}
			}
			for _, line := range m.Text {
				if line.Sentence[lang] == "" {
					t.Errorf("still %s: a line at %v says nothing in %s", m.ID, line.At, lang)
				}
			}
		}
		if len(m.Text) == 0 {
			t.Errorf("still %s: nothing happened before it", m.ID)
		}
	}
	if d.Marks[0].At >= d.Marks[1].At || d.Marks[0].Frame >= d.Marks[1].Frame {
		t.Errorf("stills at %v and %v", d.Marks[0].At, d.Marks[1].At)
	}
	if d.Marks[0].SVG["en"][scene.Wide] == d.Marks[1].SVG["en"][scene.Wide] {
		t.Error("two moments look the same")
	}
}

// TestRunGivesTheSameFiles is what lets a page's address hold a version.
func TestRunGivesTheSameFiles(t *testing.T) {
	run := func() *Demo {
		d, err := Run("small", "demos/small.yaml", []byte(small), Languages{Codes: []string{"en", "ja"}})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	a, b := run(), run()
	if a.Version() != b.Version() || fmt.Sprint(a.Marks) != fmt.Sprint(b.Marks) {
		t.Errorf("versions %s and %s", a.Version(), b.Version())
	}
}

// TestRunSaysWhereItIsWrong holds for what is wrong before the run and in it.
func TestRunSaysWhereItIsWrong(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{"seed: 7", "sede: 7", `demos/small.yaml:2:1: unknown key "sede" of a demo (did you mean "seed"?)`},
		{"ja: 動いています。", "fr: Il tourne.",
			"demos/small.yaml:32:5: the caption of mark \"started\" is missing in language \"ja\" (add ja: … to caption)\n" +
				"demos/small.yaml:32:29: the book has no language \"fr\": it has en, ja (remove the line, or add the language to site.yaml)"},
		{"    count: 1", "    count: 2",
			`demos/small.yaml:20:5: the number of pods with status.phase=Running should have been 2 within 10s of step "apply", but it was 1 at 11s (change the claim or the demo: kubewalk trace small shows what happens)`},
		{"op: container.start", "op: container.exit",
			`demos/small.yaml:29:5: mark "started": event "container.exit" did not happen after step "apply" (change the mark: kubewalk trace small --mark prints what to write)`},
	} {
		if strings.Count(small, test.old) != 1 {
			t.Fatalf("the file holds %q %d times", test.old, strings.Count(small, test.old))
		}
		_, err := Run("small", "demos/small.yaml", []byte(strings.Replace(small, test.old, test.new, 1)), Languages{Codes: []string{"en", "ja"}})
		if err == nil || err.Error() != test.want {
			t.Errorf("got\n%v\nwant\n%s", err, test.want)
		}
		if len(problem.Of(err)) == 0 || problem.Of(err)[0].Line == 0 {
			t.Errorf("%v has no place", err)
		}
	}
}
