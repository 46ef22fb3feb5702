package demos

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kubewalk/generator/book/claim"
)

// twice is the small demo with a world in which its controller is killed.
const twice = small + `whatIf:
  - id: killed
    label: {en: Killed, ja: 強制終了}
    text: {en: It dies., ja: 強制終了されます。}
    killed-mid-batch: {component: replicaset-controller, create: 1, after: apply, restart: 30s}
  - id: "50% less"
    label: {en: Late, ja: 遅れ}
    text: {en: It is late., ja: 遅れます。}
    stale-cache: {component: replicaset-controller, resource: replicasets, late: 1s}
`

func TestWorldIsHeldAgainstClaims(t *testing.T) {
	d, err := Run("small", "demos/small.yaml", []byte(twice), Languages{Codes: []string{"en", "ja"}})
	if err != nil {
		t.Fatal(err)
	}
	world, err := RunWorld(d, "50% less")
	if err != nil {
		t.Fatal(err)
	}
	run, err := claim.Open(world.Record, world.Details)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(text string) (claim.Value, error) {
		c, err := claim.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return c.On(run)
	}
	v, err := ask("demo:small?x@started count pods .status.phase=Pending")
	if err != nil || v.String() != "1" {
		t.Errorf("%v, %v", v, err)
	}
	place := v.Place()
	if place == nil || place.World != "50% less" || place.Label["ja"] != "遅れ" || place.Seed != 7 {
		t.Fatalf("leads to %+v", place)
	}
	if want := fmt.Sprintf("50%%25%%20less 7 %d.", int(place.At.Seconds())); !strings.HasPrefix(place.String(), want) {
		t.Errorf("leads to %s, want %s…", place, want)
	}
	parts, err := ask("demo:small?x")
	if p := parts.Place(); err != nil || p.At < time.Second || p.At >= place.At {
		t.Errorf("parts at %+v, %v", p, err)
	}
	if _, err := RunWorld(d, "kiled"); err == nil || !strings.Contains(err.Error(), `demo "small" has no counterfactual "kiled" (did you mean "killed"?)`) {
		t.Errorf("got %v", err)
	}
}

func TestWorldsOnDiskKeepsAWorldOfTheSameScenario(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "demos")
	runs := 0
	run := func(d *Demo, id string) (*World, error) {
		runs++
		return &World{ID: id, Record: d.Files["scenario.json.gz"]}, nil
	}
	made := func(scenario, id string) {
		t.Helper()
		w, err := WorldsOnDisk(dir, run)(&Demo{Name: "a", Files: map[string][]byte{"scenario.json.gz": []byte(scenario)}}, id)
		if err != nil || w.ID != id || string(w.Record) != scenario {
			t.Errorf("%+v, %v", w, err)
		}
	}
	made("1", "x")
	made("1", "x")
	made("1", "../y*")
	made("2", "x")
	if made("1", "x"); runs != 3 {
		t.Errorf("%d runs of three different worlds", runs)
	}
	for i := range 6 {
		made(fmt.Sprint("other ", i), "x")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.gob"))
	if err != nil || len(files) != versionsPerDemo+1 {
		t.Errorf("%d files of two worlds, %v", len(files), err)
	}
}
