package scene

import (
	"encoding/json"
	"flag"
	"os"
	"sort"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/fixture.json anew; look at the difference before committing it")

// fixture is what holds Go and TypeScript to the same drawing: every role in
// its forms, packets on their way, words, texts that have to be escaped.
type fixture struct {
	Comment string            `json:"comment"`
	Layout  Layout            `json:"layout"`
	Name    string            `json:"name"`
	Now     int64             `json:"now"`
	Words   map[string]string `json:"words"`
	Scene   Scene             `json:"scene"`
	SVG     string            `json:"svg"`
}

func TestFixture(t *testing.T) {
	f := fixture{
		Comment: "A scene, and the SVG that both playground/demo/scene/svg.go and the player draw of it. To write it anew: go test ./playground/demo/scene -update",
		Layout:  Wide, Name: `Three Pods & a "request"`, Now: 1_250_000,
		Words: map[string]string{"scene.store": "ストア (etcd)", "scene.queue": "ワークキュー", "scene.want": "目標 {1}、実際 {2}", "scene.down": "停止",
			"scene.pods": "Pod {1} 個"},
		Scene: Scene{Width: 400, Height: 300, Shapes: []Shape{
			{ID: "wire/kubelet/node-1", Kind: Line, Role: RoleWire, State: "watching", Path: "M 100 200 L 100 120", About: "kubelet/node-1"},
			{ID: "wire/user", Kind: Line, Role: RoleWire, Path: "M 300 20 L 340 20 L 340 60"},
			{ID: "apiserver", Kind: Box, Role: RoleAPIServer, State: "running", X: 10, Y: 60, W: 380, H: 60, Z: LayerFrames, Title: "kube-apiserver",
				About: "kube-apiserver"},
			{ID: "component/node-lifecycle-controller", Kind: Box, Role: RoleMinor, State: "down", Mark: "✕", X: 10, Y: 10, W: 120, H: 21, Z: LayerFrames,
				Word: "scene.down", DetailWord: "scene.lacking", Detail: "queue 1"},
			{ID: "node/node-1", Kind: Box, Role: RoleNode, State: "down", Mark: "✕", X: 10, Y: 200, W: 240, H: 90, Z: LayerFrames, Title: "node-1",
				Detail: "kubelet down", About: "nodes node-1", Fresh: true},
			{ID: "label", Kind: Box, Role: RoleLabel, X: 20, Y: 90, W: 100, H: 18, Z: LayerParts, Title: "Work queue", Word: "scene.queue",
				DetailWord: "scene.pods", Args: "2"},
			{ID: "store", Kind: Box, Role: RoleStore, X: 200, Y: 70, W: 180, H: 45, Z: LayerParts, Title: "Store (etcd)", Word: "scene.store"},
			{ID: "meter", Kind: Box, Role: RoleMeter, X: 20, Y: 230, W: 200, H: 4, Z: LayerParts},
			{ID: "nodes/0", Kind: Cells, Role: RoleNodes, X: 260, Y: 200, W: 100, H: 20, Z: LayerParts, Cols: 10, Pitch: 8, Runs: "3ab2CiA2x13cs.x"},
			{ID: "meter-fill", Kind: Box, Role: RoleMeterFill, State: "full", X: 20, Y: 230, W: 120, H: 4, Z: LayerChips},
			{ID: "component/web", Kind: Box, Role: RoleWorkload, State: "changing", Mark: "≠", X: 140, Y: 10, W: 120, H: 36, Z: LayerChips, Title: "web",
				DetailWord: "scene.want", Args: "8|<3>"},
			{ID: "pod/default/web-<a>", Kind: Box, Role: RolePod, State: PodTerminating, Mark: "×", X: 20, Y: 240, W: 110, H: 36, Z: LayerChips,
				Title: "web-<a>", Detail: "Terminating", About: "pods default/web-<a>"},
			{ID: "pod/default/web-b", Kind: Box, Role: RolePod, State: PodReady, Mark: "●", X: 140, Y: 240, W: 80, H: 25, Z: LayerChips, Title: "web-b"},
			{ID: "pod/default/web-c", Kind: Box, Role: RolePod, State: PodReady, X: 230, Y: 240, W: 9, H: 9, Z: LayerChips},
			{ID: "revision/7", Kind: Box, Role: RoleRevision, State: "added", Mark: "+", X: 210, Y: 92, W: 160, H: 20, Z: LayerChips, Title: "web-b",
				Detail: "Pod 7"},
			{ID: "component/web-controller", Kind: Box, Role: RoleController, Form: string(FormPanel), State: "busy", Mark: "✕", X: 10, Y: 130, W: 180, H: 60,
				Z: LayerFrames, Title: "web controller", Detail: "down", About: "web-controller"},
			{ID: "component/web-controller/difference", Kind: Box, Role: RoleDifference, Form: string(FormText), State: "settled", Mark: "✓", X: 20, Y: 160,
				W: 120, H: 22, Z: LayerParts, Title: "as wanted", Detail: "1"},
			{ID: "component/web-controller/want", Kind: Box, Role: RoleNumber, Form: string(FormNumber), X: 200, Y: 130, W: 60, H: 52, Z: LayerParts,
				Title: "8", DetailWord: "scene.down"},
			{ID: "place/1", Kind: Box, Role: RolePlace, Form: string(FormTile), State: "asked", X: 270, Y: 130, W: 10, H: 9, Z: LayerParts},
			{ID: "queue/web", Kind: Box, Role: RoleQueueKey, Form: string(FormPill), State: "dirty", X: 270, Y: 150, W: 101, H: 27, Z: LayerChips, Title: "↻ web"},
			{ID: "pod/default/web-d", Kind: Box, Role: RolePod, Form: string(FormTile), State: PodReady, Mark: "●", X: 200, Y: 185, W: 84, H: 27, Z: LayerChips,
				Title: "web-d"},
			{ID: "pod/default/web-e", Kind: Box, Role: RolePod, Form: string(FormTile), State: PodReady, X: 290, Y: 185, W: 51, H: 20, Z: LayerChips, Title: "web-e"},
			{ID: "message/0", Kind: Packet, Role: RoleRequest, Form: string(FormPill), State: "controller", Z: LayerPackets, Line: "wire/user", W: 131, H: 26,
				From: 1_000_000, To: 2_000_000, Title: "POST pods ×2 ↓"},
			{ID: "message/1", Kind: Packet, Role: RoleRequest, State: "good", X: -5, Z: LayerPackets, Line: "wire/kubelet/node-1", From: 1_000_000,
				To: 2_000_000, Title: "PATCH pods"},
			{ID: "message/2", Kind: Packet, Role: RoleReply, State: "error", X: 5, Z: LayerPackets, Line: "wire/user", Back: true, From: 1_000_000,
				To: 1_750_000, Title: "409"},
			{ID: "message/3", Kind: Packet, Role: RoleWatch, State: "quiet", X: 14, Z: LayerPackets, Line: "wire/kubelet/node-1", Back: true, From: 1_000_000,
				To: 1_100_000},
		}},
	}
	sort.SliceStable(f.Scene.Shapes, func(i, j int) bool { return f.Scene.Shapes[i].Z < f.Scene.Shapes[j].Z })
	f.SVG = SVG(f.Scene, Still{Name: f.Name, Now: f.Now, Layout: f.Layout, Words: func(key string) string { return f.Words[key] }})
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(f); err != nil {
		t.Fatal(err)
	}
	const name = "testdata/fixture.json"
	if *update {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the drawing differs from %s; if that is meant, run the test with -update and change the player too.\n%s", name, b.String())
	}
	for _, banned := range []string{"style", "<script", " on"} {
		if strings.Contains(f.SVG, banned) {
			t.Errorf("%q is in the SVG, which the pages' security policy does not let through", banned)
		}
	}
}

func TestAlong(t *testing.T) {
	for _, c := range []struct {
		path string
		at   int64
		x, y int
	}{
		{"M 10 20 L 10 120", 0, 100, 200},
		{"M 10 20 L 10 120", 500_000, 100, 700},
		{"M 10 120 L 10 20", 250_000, 100, 950},
		{"M 0 0 L 30 0 L 30 10", 500_000, 200, 0},
		{"M 0 0 L 30 0 L 30 10", 1_000_000, 300, 100},
		{"M 0 0 L 0 3", 333_333, 0, 10},
		{"", 1, 0, 0},
	} {
		if x, y := Along(c.path, c.at); x != c.x || y != c.y {
			t.Errorf("%d millionths of %q are at %d %d, not %d %d", c.at, c.path, x, y, c.x, c.y)
		}
	}
}

func TestTextsAreShortenedFromTheirEnd(t *testing.T) {
	if got := fitEnd("Insufficient cpu", 80, 12); !strings.HasSuffix(got, "…") || textWidth(got, 12) > 800 {
		t.Errorf("%q", got)
	}
}

// Every role and every state of Pods and of the other chips has a style, so
// that none is drawn as if it were nothing.
func TestStyleSheetKnowsEveryRole(t *testing.T) {
	css, err := os.ReadFile("../../../site/widgets/picture/scene.css")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("role.go")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, line := range strings.Split(string(source), "\n") {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "Role") || !strings.Contains(line, `"`) {
			continue
		}
		n++
		role := strings.Split(line, `"`)[1]
		if !strings.Contains(string(css), ".role-"+role) && role != RoleRequest {
			t.Errorf("site/widgets/picture/scene.css has no rule for .role-%s", role)
		}
	}
	if n < 20 {
		t.Fatalf("only %d roles were found in role.go", n)
	}
	for state := range podWords {
		if !strings.Contains(string(css), ".role-pod.state-"+state) {
			t.Errorf("site/widgets/picture/scene.css has no rule for .role-pod.state-%s", state)
		}
		if marks[state] == "" {
			t.Errorf("the Pod state %q has no mark: colour would stand alone", state)
		}
	}
}
