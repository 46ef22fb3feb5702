// Package releases keeps what links lead to. A link to a moment (site/widgets/state/link.ts) is replayed, which shows the same only
// with the control plane and the demo of then. So an author keeps the demos of a site as a release: an archive with each demo's own page, the
// player, the recordings and the control plane. Later sites have it below /releases/ID/, unchanged, with addresses of its own, and
// an index (headers.ReleasesIndex) by which a page finds the release that a link was made with.
//
// An archive is a zip, whose release.json is a Release. The ID is a hash of all else, so a release that is damaged is found, and the
// same demos are the same release. Pictures of the storyboard are left out: who opens a link has scripts.
package releases

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"kubewalk/generator/build/output"
	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/scenario"
)

// Folder is where a book has its archives, below its content folder.
const Folder = "releases"

// Release is what an archive says of itself, in release.json, and what the index says of each.
type Release struct {
	ID        string   `json:"id"`        // the first 8 digits of the hash
	Date      string   `json:"date"`      // on which it was kept: "2026-11-25"
	Languages []string `json:"languages"` // the first is the one without a folder below /embed/
	// Engines are those of its demos, by name.
	Engines map[string]string `json:"engines"`
}

var isID, isDate = regexp.MustCompile(`^[0-9a-f]{8}$`), regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)

// Engine names what decides about the runs of a demo, for links: the control plane, given by a hash of its WebAssembly, and what the
// demo does. Texts, moments, claims and exercises may change, and the engine stays; the seed is in a link itself. It is "" without a control plane.
func Engine(wasm string, s *scenario.Scenario) string {
	if wasm == "" {
		return ""
	}
	type whatIf struct {
		ID     string
		Switch cluster.Switch
	}
	of := struct {
		Wasm       string
		Cluster    cluster.Config
		Setup, End int64
		Steps      []cluster.Input
		WhatIf     []whatIf
		Manifests  map[string]json.RawMessage
	}{Wasm: wasm, Cluster: s.Cluster, Setup: int64(s.Setup), End: int64(s.End), Manifests: s.Manifests}
	for _, step := range s.Steps {
		of.Steps = append(of.Steps, step.Input)
	}
	for _, w := range s.WhatIf {
		of.WhatIf = append(of.WhatIf, whatIf{w.ID, w.Switch})
	}
	text, err := json.Marshal(of)
	if err != nil {
		panic("releases: " + err.Error()) // it came as JSON
	}
	return short(text)
}

// short is a name for content: 8 hexadecimal digits.
func short(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:4])
}

// id is the release's, which holds these files.
func (r *Release) id(files *output.Tree) string {
	hash := sha256.New()
	fmt.Fprintf(hash, "%q\n", r.Languages)
	for _, demo := range slices.Sorted(maps.Keys(r.Engines)) {
		fmt.Fprintf(hash, "%q %s\n", demo, r.Engines[demo])
	}
	for _, name := range files.Paths() {
		data, _ := files.Get(name)
		fmt.Fprintf(hash, "%q %x\n", name, sha256.Sum256(data))
	}
	return hex.EncodeToString(hash.Sum(nil)[:4])
}

// Index is what a page reads to find a release: all that a site has, the newest first.
func Index(all []*Release) []byte {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b *Release) int {
		return cmp.Or(cmp.Compare(b.Date, a.Date), cmp.Compare(a.ID, b.ID))
	})
	if sorted == nil {
		sorted = []*Release{}
	}
	text, err := json.Marshal(sorted)
	if err != nil {
		panic("releases: " + err.Error()) // it is texts
	}
	return text
}
