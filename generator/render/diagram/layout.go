package diagram

import (
	_ "embed"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"kubewalk/generator/render/script"
)

// dagre.min.js is dist/dagre.min.js of the npm package @dagrejs/dagre 3.1.3.
//
//go:embed dagre.min.js
var dagreSource string

// The engine has no structuredClone; dagre copies plain objects with it.
const before = `
function structuredClone(value) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(structuredClone);
  const out = {};
  for (const key of Object.keys(value)) out[key] = structuredClone(value[key]);
  return out;
}
var console = { log() {}, warn() {}, error() {} };`

const glue = `
function arrange(text) {
  const { graph, nodes, edges } = JSON.parse(text);
  const g = new dagre.graphlib.Graph({ multigraph: true, compound: true });
  g.setGraph(graph);
  g.setDefaultEdgeLabel(() => ({}));
  for (const n of nodes) g.setNode(n.id, { width: n.width, height: n.height });
  for (const n of nodes) if (n.parent) g.setParent(n.id, n.parent);
  edges.forEach((e, i) => g.setEdge(e.from, e.to, { width: e.width, height: e.height, labelpos: "c" }, String(i)));
  dagre.layout(g);
  const place = ({ x, y, width, height }) => ({ x, y, width, height });
  return JSON.stringify({
    nodes: nodes.map((n) => place(g.node(n.id))),
    edges: edges.map((e, i) => { const l = g.edge(e.from, e.to, String(i)); return { points: l.points.map(({ x, y }) => ({ x, y })), x: l.x, y: l.y }; }),
  });
}`

var library = script.New("dagre", before, dagreSource, glue)

// style is how a graph is arranged.
type style struct {
	down bool
	wrap int // labels are at most so wide
	gap  int // between one rank and the next
	side int // between boxes of a rank
	pad  int // beside a label, both sides together
}

type point struct{ X, Y float64 }

// rect has its middle at X, Y.
type rect struct{ X, Y, Width, Height float64 }

// layout is a graph with a place for everything.
type layout struct {
	width, height int
	boxes         []rect     // by id
	labels        [][]string // of boxes, in lines
	arrows        [][]point  // ways, from first to last
	notes         []note     // labels of arrows
}

type note struct {
	at    point
	lines []string
}

type node struct {
	ID     string `json:"id"`
	Parent string `json:"parent,omitempty"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

type edge struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

const margin = 10

// arrange lays a graph out.
func arrange(g *graph, s style) (*layout, error) {
	l := &layout{}
	direction := "LR"
	if s.down {
		direction = "TB"
	}
	var nodes []node
	for _, b := range g.boxes {
		lines := wrapped(b.label, s.wrap, labelSize)
		n := node{ID: strconv.Itoa(b.id)}
		if b.parent != nil {
			n.Parent = strconv.Itoa(b.parent.id)
		}
		if len(b.children) > 0 {
			lines = []string{oneLine(b.label)}
		} else {
			n.Width, n.Height = room(b.shape, s.pad, widest(lines, labelSize), len(lines)*labelLine)
		}
		nodes, l.labels = append(nodes, n), append(l.labels, lines)
	}
	widen(g, nodes, l.labels)
	var edges []edge
	for _, a := range g.arrows {
		e := edge{From: strconv.Itoa(leaf(a.from).id), To: strconv.Itoa(leaf(a.to).id)}
		n := note{}
		if a.label != "" {
			n.lines = wrapped(a.label, s.wrap, noteSize)
			e.Width, e.Height = widest(n.lines, noteSize)+10, len(n.lines)*noteLine+4
		}
		edges, l.notes = append(edges, e), append(l.notes, n)
	}
	input, err := json.Marshal(map[string]any{
		"graph": map[string]any{"rankdir": direction, "nodesep": s.side, "edgesep": 14, "ranksep": s.gap, "marginx": margin, "marginy": margin},
		"nodes": nodes, "edges": edges,
	})
	if err != nil {
		return nil, err
	}
	output, err := library.Call("arrange", string(input))
	if err != nil {
		return nil, err
	}
	var placed struct {
		Nodes []rect
		Edges []struct {
			Points []point
			X, Y   float64
		}
	}
	if err := json.Unmarshal([]byte(output), &placed); err != nil {
		return nil, err
	}
	l.boxes = placed.Nodes
	for i, e := range placed.Edges {
		a := g.arrows[i]
		way := e.Points
		if a.from != a.to {
			way = clip(way, l.boxes[a.from.id], a.from)
			slices.Reverse(way)
			way = clip(way, l.boxes[a.to.id], a.to)
			slices.Reverse(way)
		} else {
			way = loop(l.boxes[a.from.id], e.X)
		}
		l.arrows = append(l.arrows, way)
		l.notes[i].at = point{e.X, e.Y}
	}
	l.fit()
	return l, nil
}

// room is how large a box of a shape is around its text.
func room(shape string, pad, width, height int) (int, int) {
	width, height = max(width+pad, 52), height+20
	switch shape {
	case "cylinder":
		height += 18
	case "queue", "hexagon", "oval":
		width += 24
	case "diamond":
		width, height = width*3/2, height*8/5
	case "person":
		height += 28
	}
	return width, height
}

// widen makes room for the label of a box around others.
func widen(g *graph, nodes []node, labels [][]string) {
	for _, b := range g.boxes {
		if len(b.children) == 0 {
			continue
		}
		first := leaf(b)
		if need := widest(labels[b.id], noteSize) + 12; nodes[first.id].Width < need {
			nodes[first.id].Width = need
		}
	}
}

// leaf is a box itself, or the first inside it that holds no other: arrows of a
// box around others are laid out to that one, and end at the edge of the outer.
func leaf(b *box) *box {
	for len(b.children) > 0 {
		b = b.children[0]
	}
	return b
}

// clip lets a way begin at a box's edge, as its shape has it.
func clip(way []point, r rect, b *box) []point {
	for len(way) > 2 && r.contains(way[1]) {
		way = way[1:]
	}
	if len(way) < 2 {
		return way
	}
	out := append([]point(nil), way...)
	switch {
	case len(b.children) > 0:
		out[0] = r.edge(way[0], way[1])
	case b.shape == "diamond" || b.shape == "oval":
		out[0] = r.round(b.shape, way[1])
	}
	return out
}

// loop leads from a box around to itself, by the place at its right that its label has.
func loop(r rect, x float64) []point {
	side := r.X + r.Width/2
	x = max(x, side+18)
	return []point{{side, r.Y - r.Height/4}, {x, r.Y - r.Height/4}, {x, r.Y + r.Height/4}, {side, r.Y + r.Height/4}}
}

func (r rect) contains(p point) bool {
	return math.Abs(p.X-r.X) < r.Width/2 && math.Abs(p.Y-r.Y) < r.Height/2
}

// edge is where the line from a point inside to one outside leaves the rectangle.
func (r rect) edge(inside, outside point) point {
	if r.contains(outside) || !r.contains(inside) {
		return inside
	}
	t := 1.0
	dx, dy := outside.X-inside.X, outside.Y-inside.Y
	for _, side := range [][3]float64{{r.X - r.Width/2, inside.X, dx}, {r.X + r.Width/2, inside.X, dx}, {r.Y - r.Height/2, inside.Y, dy},
		{r.Y + r.Height/2, inside.Y, dy}} {
		if side[2] != 0 {
			if at := (side[0] - side[1]) / side[2]; at > 0 {
				t = min(t, at)
			}
		}
	}
	return point{inside.X + t*dx, inside.Y + t*dy}
}

// round is where the line from the middle to a point leaves a diamond or an oval.
func (r rect) round(shape string, to point) point {
	dx, dy := (to.X-r.X)/(r.Width/2), (to.Y-r.Y)/(r.Height/2)
	length := math.Hypot(dx, dy)
	if shape == "diamond" {
		length = math.Abs(dx) + math.Abs(dy)
	}
	if length == 0 {
		return to
	}
	return point{r.X + (to.X-r.X)/length, r.Y + (to.Y-r.Y)/length}
}

// fit moves all to where there is a margin around, and says how large it is.
func (l *layout) fit() {
	left, top, right, bottom := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	see := func(x, y, w, h float64) {
		left, top, right, bottom = min(left, x-w/2), min(top, y-h/2), max(right, x+w/2), max(bottom, y+h/2)
	}
	for _, r := range l.boxes {
		see(r.X, r.Y, r.Width, r.Height)
	}
	for _, way := range l.arrows {
		for _, p := range way {
			see(p.X, p.Y, 2, 2)
		}
	}
	for _, n := range l.notes {
		see2 := float64(widest(n.lines, noteSize))
		if len(n.lines) > 0 {
			see(n.at.X, n.at.Y, see2, float64(len(n.lines)*noteLine))
		}
	}
	dx, dy := margin-left, margin-top
	for i := range l.boxes {
		l.boxes[i].X += dx
		l.boxes[i].Y += dy
	}
	for _, way := range l.arrows {
		for i := range way {
			way[i].X += dx
			way[i].Y += dy
		}
	}
	for i := range l.notes {
		l.notes[i].at.X += dx
		l.notes[i].at.Y += dy
	}
	l.width, l.height = int(math.Ceil(right-left+2*margin)), int(math.Ceil(bottom-top+2*margin))
}
