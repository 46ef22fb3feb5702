package scene

// Shape is one thing to draw. There are four kinds, and no other:
//
//   - box: a rounded rectangle with a title, and a detail under or behind it
//   - line: a path that messages travel along
//   - packet: a message: a dot with a label, on a line, at the fraction
//     (now − From) / (To − From) of its way
//   - cells: many small squares in rows, each with a letter for what it stands
//     for: a row of a cluster's nodes
//
// Distances are whole units of the scene's size (Scene.Width × Height). A
// packet's X and Y move it beside its line; when X < 0 its title is left of it.
type Shape struct {
	ID   string    `json:"id"` // stable while it lives: what moves is the same shape
	Kind ShapeKind `json:"k"`
	Role Role      `json:"role"` // what it stands for; the style follows it

	// Form is how a box or a packet is drawn, unless it is its role's: see FormOf.
	Form string `json:"f,omitempty" tstype:"Form"`
	// State is one word, drawn by colour and by mark as well: a Pod is
	// "pending", "scheduled", "pulling", "running", "terminating" …
	State string `json:"s,omitempty"`

	X int `json:"x,omitempty"` // left edge
	Y int `json:"y,omitempty"` // top edge
	W int `json:"w,omitempty"`
	H int `json:"h,omitempty"`

	// Z is the layer, 0 … 4: see Layers. Shapes of one layer do not overlap,
	// packets aside.
	Z int `json:"z,omitempty"`

	// Mark is a sign drawn before the title, so that colour never stands alone.
	Mark   string `json:"m,omitempty"`
	Title  string `json:"t,omitempty"`
	Detail string `json:"d,omitempty"`
	// Word and DetailWord are keys of phrases that are drawn in the reader's
	// language in the title's and the detail's place: "scene.store". Args, with
	// "|" between them, fill their {1}, {2} …
	Word       string `json:"word,omitempty"`
	DetailWord string `json:"dword,omitempty"`
	Args       string `json:"args,omitempty"`

	Path string `json:"path,omitempty"` // line: SVG path data
	Line string `json:"on,omitempty"`   // packet: the id of its line
	Back bool   `json:"back,omitempty"` // packet: it travels from the path's end to its start
	From int64  `json:"from,omitempty"` // packet: when it left, µs of virtual time
	To   int64  `json:"to,omitempty"`   // packet: when it arrives

	// Cells: Cols in a row, from the left, then the next row. Pitch is from one
	// cell's left edge to the next one's, and from one row to the next; there is one
	// unit between two cells. Runs has the letter of each: see Runs. Title, which is not
	// drawn, names the first, when the others are numbered on from it; Args is how
	// many Pods each of them takes, when that is the same.
	Cols  int    `json:"cols,omitempty"`
	Pitch int    `json:"pitch,omitempty"`
	Runs  string `json:"runs,omitempty"`

	// About names the object or component it shows ("pods default/web-x2k9p",
	// "replicaset-controller"): what a click on it looks for in the event log.
	About string `json:"about,omitempty"`
	// Fresh marks what the newest event is about. Frames of a recording leave it
	// out: a player marks the boxes whose About is the newest frame's object
	// (of revisions, only one that the frame sets), unless the frame is quiet.
	Fresh bool `json:"fresh,omitempty"`
}

// ShapeKind is one of the four.
type ShapeKind = string

// Shape kinds.
const (
	Box    ShapeKind = "box"
	Line   ShapeKind = "line"
	Packet ShapeKind = "packet"
	Cells  ShapeKind = "cells"
)

// Scene is one moment, in drawing order (by layer, then id): later shapes lie on top.
type Scene struct {
	Width  int     `json:"width"`
	Height int     `json:"height"`
	Shapes []Shape `json:"shapes"`
}

// Layout is a way to place the same things.
type Layout string

// The layouts.
const (
	Wide   Layout = "wide"   // about 1000 units across
	Narrow Layout = "narrow" // 360 units across: text is readable on a telephone
)
