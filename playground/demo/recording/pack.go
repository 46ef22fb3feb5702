package recording

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"kubewalk/playground/demo/scene"
)

// Packed is the number of the form in which a file's frames are written: a quarter
// of what they are as JSON objects, and less when it is compressed. Frames that the
// worker sends are not packed.
const Packed = 2

// columns are frames as a file holds them: by field, not by frame. Each text stands
// in one list and is named by its place there; numbers that grow with every frame
// are written as what is added to the frame before; a shape as what is different
// from what it was.
type columns struct {
	Form  int      `json:"form"`
	Texts []string `json:"texts"` // the first is ""
	// Kinds is what many frames have in common: who, process, op and phrase as texts, the stack, 1 when it is quiet, and
	// the attributes' keys as texts.
	Kinds [][]int `json:"kinds"`
	// Looks are names of shapes' fields: those that change together.
	Looks [][]string `json:"looks"`

	Kind    []int   `json:"kind"`    // of each frame
	Cause   []int   `json:"cause"`   // how many events back; 0 for none
	At      []int64 `json:"at"`      // µs after the frame before
	Display []int64 `json:"display"` // ms after the frame before
	Object  []int   `json:"object"`  // a text
	Values  []any   `json:"values"`  // of all attributes in order: a text's place, true or false, or [number]
	Sets    []int   `json:"sets"`    // how many shapes each frame sets
	// Shapes are those shapes in order: id as a text, look, and the value of each field of the look: a text or a number, a
	// packet's from and to counted from the frame's time. 0 is also a field that is gone.
	Shapes []int64 `json:"shapes"`
	Gone   []int   `json:"gone"` // ids as texts, and 0 after the last of each frame
}

// packedFile is File as JSON.
type packedFile struct {
	Header
	Packed columns `json:"packed"`
}

// packedRest is Rest as JSON. Its first frame is written as what is added to the
// last one of the file before; texts, kinds and shapes are its own.
type packedRest struct {
	Version int     `json:"version"`
	Demo    string  `json:"demo"`
	Packed  columns `json:"packed"`
}

// MarshalJSON packs the frames.
func (f File) MarshalJSON() ([]byte, error) {
	c, err := pack(f.Demo, Frame{}, f.Frames)
	if err != nil {
		return nil, err
	}
	return json.Marshal(packedFile{f.Header, c})
}

// MarshalJSON packs the frames.
func (r Rest) MarshalJSON() ([]byte, error) {
	c, err := pack(r.Demo, r.After, r.Frames)
	if err != nil {
		return nil, err
	}
	return json.Marshal(packedRest{Version, r.Demo, c})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (f *File) UnmarshalJSON(text []byte) (err error) {
	var in packedFile
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	f.Header = in.Header
	f.Frames, err = unpack(in.Demo, Frame{}, in.Packed)
	return err
}

// Complete adds the frames of the file that Rest names.
func (f *File) Complete(text []byte) error {
	var in packedRest
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	if in.Version != f.Version || in.Demo != f.Demo {
		return fmt.Errorf("recording of %q, version %d: its rest is of %q, version %d", f.Demo, f.Version, in.Demo, in.Version)
	}
	var last Frame
	if n := len(f.Frames); n > 0 {
		last = f.Frames[n-1]
	}
	if n := len(f.Frames) + len(in.Packed.Kind); n != f.Length {
		return fmt.Errorf("recording of %q: with its rest it has %d frames, not %d", f.Demo, n, f.Length)
	}
	frames, err := unpack(f.Demo, last, in.Packed)
	if err != nil {
		return err
	}
	f.Frames = append(f.Frames, frames...)
	f.Rest = ""
	return nil
}

// packer has the lists of a file that is being packed.
type packer struct {
	columns
	texts  map[string]int
	kinds  map[string]int
	looks  map[string]int
	shapes map[string]scene.Shape // as they were set last
}

func pack(demo string, before Frame, frames []Frame) (columns, error) {
	p := packer{texts: map[string]int{}, kinds: map[string]int{}, looks: map[string]int{}, shapes: map[string]scene.Shape{}}
	// A list that stays empty is [], not null.
	p.columns = columns{Form: Packed, Kinds: [][]int{}, Looks: [][]string{}, Kind: []int{}, Cause: []int{}, At: []int64{}, Display: []int64{},
		Object: []int{}, Values: []any{}, Sets: []int{}, Shapes: []int64{}, Gone: []int{}}
	p.text("")
	for i := range frames {
		if frames[i].Event != before.Event+1 {
			return columns{}, fmt.Errorf("recording of %q: event %d follows event %d, so it is not whole", demo, frames[i].Event, before.Event)
		}
		p.frame(before, &frames[i])
		before = frames[i]
	}
	return p.columns, nil
}

func (p *packer) text(s string) int {
	i, known := p.texts[s]
	if !known {
		i = len(p.Texts)
		p.texts[s] = i
		p.Texts = append(p.Texts, s)
	}
	return i
}

func (p *packer) frame(before Frame, f *Frame) {
	kind := []int{p.text(f.Who), p.text(f.Process), p.text(f.Op), p.text(f.Phrase), f.Stack, 0}
	if f.Quiet {
		kind[5] = 1
	}
	for i := 0; i+1 < len(f.Attrs); i += 2 {
		kind = append(kind, p.text(f.Attrs[i].(string)))
		switch v := f.Attrs[i+1].(type) {
		case string:
			p.Values = append(p.Values, p.text(v))
		case bool:
			p.Values = append(p.Values, v)
		default:
			p.Values = append(p.Values, []any{v})
		}
	}
	name := ""
	for _, n := range kind {
		name += strconv.Itoa(n) + " "
	}
	k, known := p.kinds[name]
	if !known {
		k = len(p.Kinds)
		p.kinds[name] = k
		p.Kinds = append(p.Kinds, kind)
	}
	back := 0
	if f.Cause != 0 {
		back = f.Event - f.Cause
	}
	p.Kind, p.Cause, p.Object = append(p.Kind, k), append(p.Cause, back), append(p.Object, p.text(f.Object))
	p.At, p.Display = append(p.At, f.At-before.At), append(p.Display, f.Display-before.Display)
	p.Sets = append(p.Sets, len(f.Set))
	for _, s := range f.Set {
		p.shape(s, f.At)
	}
	for _, id := range f.Gone {
		p.Gone = append(p.Gone, p.text(id))
	}
	p.Gone = append(p.Gone, 0)
}

func (p *packer) shape(s scene.Shape, at int64) {
	if s.Kind == scene.Packet {
		s.From -= at
		s.To -= at
	}
	was := p.shapes[s.ID]
	p.shapes[s.ID] = s
	names, values := []string{}, []int64{}
	now, old := fields(&s), fields(&was)
	for i, f := range now {
		if v := p.value(f.at); v != p.value(old[i].at) {
			names, values = append(names, f.name), append(values, v)
		}
	}
	look := ""
	for _, n := range names {
		look += n + " "
	}
	l, known := p.looks[look]
	if !known {
		l = len(p.Looks)
		p.looks[look] = l
		p.Looks = append(p.Looks, names)
	}
	p.Shapes = append(append(p.Shapes, int64(p.text(s.ID)), int64(l)), values...)
}

// field is a field of a shape: its name in JSON, and a pointer to it.
type field struct {
	name string
	at   any
}

// fields are all but the id.
func fields(s *scene.Shape) []field {
	return []field{
		{"k", &s.Kind}, {"role", &s.Role}, {"s", &s.State}, {"x", &s.X}, {"y", &s.Y}, {"w", &s.W}, {"h", &s.H}, {"z", &s.Z},
		{"m", &s.Mark}, {"t", &s.Title}, {"d", &s.Detail}, {"word", &s.Word}, {"dword", &s.DetailWord}, {"args", &s.Args},
		{"path", &s.Path}, {"on", &s.Line}, {"back", &s.Back}, {"from", &s.From}, {"to", &s.To},
		{"cols", &s.Cols}, {"pitch", &s.Pitch}, {"runs", &s.Runs}, {"about", &s.About}, {"fresh", &s.Fresh},
	}
}

// value is a field's, as a number.
func (p *packer) value(at any) int64 {
	switch v := at.(type) {
	case *string:
		return int64(p.text(*v))
	case *int:
		return int64(*v)
	case *int64:
		return *v
	case *bool:
		if *v {
			return 1
		}
	}
	return 0
}

// unpack undoes pack.
func unpack(demo string, before Frame, c columns) (out []Frame, err error) {
	if c.Form != Packed {
		return nil, fmt.Errorf("recording of %q: frames are in form %d, not %d", demo, c.Form, Packed)
	}
	defer func() { // whatever is missing is missed by an index
		if recover() != nil {
			out, err = nil, fmt.Errorf("recording of %q: %w", demo, errBroken)
		}
	}()
	shapes := map[string]scene.Shape{}
	out = make([]Frame, len(c.Kind))
	for i := range out {
		kind := c.Kinds[c.Kind[i]]
		f := Frame{
			Event: before.Event + 1, At: before.At + c.At[i], Display: before.Display + c.Display[i], Object: c.Texts[c.Object[i]],
			Who: c.Texts[kind[0]], Process: c.Texts[kind[1]], Op: c.Texts[kind[2]], Phrase: c.Texts[kind[3]], Stack: kind[4], Quiet: kind[5] != 0,
		}
		if c.Cause[i] != 0 {
			f.Cause = f.Event - c.Cause[i]
		}
		for _, key := range kind[6:] {
			f.Attrs = append(f.Attrs, c.Texts[key], c.attribute(c.Values[0]))
			c.Values = c.Values[1:]
		}
		for range c.Sets[i] {
			f.Set = append(f.Set, c.shape(shapes, f.At))
		}
		for ; c.Gone[0] != 0; c.Gone = c.Gone[1:] {
			f.Gone = append(f.Gone, c.Texts[c.Gone[0]])
		}
		c.Gone = c.Gone[1:]
		out[i], before = f, f
	}
	return out, nil
}

var errBroken = errors.New("the file is broken")

// attribute is a value as JSON gives it.
func (c *columns) attribute(v any) any {
	switch v := v.(type) {
	case float64:
		return c.Texts[int(v)]
	case []any:
		return v[0]
	}
	return v
}

// shape takes the next one off.
func (c *columns) shape(shapes map[string]scene.Shape, at int64) scene.Shape {
	id, look := c.Texts[c.Shapes[0]], c.Looks[c.Shapes[1]]
	c.Shapes = c.Shapes[2:]
	s := shapes[id]
	s.ID = id
	for _, f := range fields(&s) {
		if len(look) == 0 || look[0] != f.name {
			continue
		}
		switch to := f.at.(type) {
		case *string:
			*to = c.Texts[c.Shapes[0]]
		case *int:
			*to = int(c.Shapes[0])
		case *int64:
			*to = c.Shapes[0]
		case *bool:
			*to = c.Shapes[0] != 0
		}
		look, c.Shapes = look[1:], c.Shapes[1:]
	}
	shapes[id] = s
	if s.Kind == scene.Packet {
		s.From += at
		s.To += at
	}
	return s
}
