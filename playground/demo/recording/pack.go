package recording

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"kubewalk/playground/demo/scene"
	"kubewalk/playground/demo/score"
)

// Packed is the number of the form in which a file's frames are written: a fifth
// of what they are as JSON objects, and less when it is compressed. Frames that the
// worker sends are not packed.
const Packed = 4

// columns are frames as a file holds them: by field, not by frame, since gzip does best
// with what is alike. Each text stands in one list and is named by its place there; numbers that
// grow with every frame are written as what is added to the frame before; a shape as what is
// different from what it was. Places of which many are new are written as newest says.
type columns struct {
	Form  int      `json:"form"`
	Texts []string `json:"texts"` // the first is ""
	// Kinds is what many frames have in common.
	Kinds kinds `json:"kinds"`
	// Looks are names of shapes' fields: those that change together.
	Looks [][]string `json:"looks"`

	Kind    []int   `json:"kind"`    // of each frame; newest
	Cause   []int   `json:"cause"`   // how many events back; 0 for none
	At      []int64 `json:"at"`      // µs after the frame before
	Display []int64 `json:"display"` // ms after the frame before
	Object  []int   `json:"object"`  // a text; newest
	// Values are those of attributes, a column for each key, in the order in which frames first have the keys: a text's place, true or
	// false, or [what is added to the number before]; [number, 0] for one that JavaScript may round, before which nothing counts.
	Values [][]any `json:"values" tstype:"(number | boolean | [added: number] | [number: number, counts: 0])[][]"`
	// Line are the sentences that begin: how many frames after the one before (or after the start), how many back, how many like it.
	Line  []int `json:"line"`
	Sets  []int `json:"sets"`  // how many shapes each frame sets
	Shape []int `json:"shape"` // of those, in order: id as a text; newest
	Look  []int `json:"look"`  // of those: a look
	// Fields are values by the name of a field, for those shapes whose look has it: a number, or a text as newest, a
	// packet's from and to counted from the frame's time. 0 is also a field that is gone.
	Fields map[string][]int64 `json:"fields"`
	Gone   []int              `json:"gone"` // ids as texts, newest, and 0 after the last of each frame
}

// kinds has a column for each field: texts, the stack, 1 when it is quiet, how many
// attributes there are, and the keys of all of them, as texts.
type kinds struct {
	Who     []int `json:"who"`
	Process []int `json:"process"`
	Op      []int `json:"op"`
	Phrase  []int `json:"phrase"`
	Stack   []int `json:"stack"`
	Quiet   []int `json:"quiet"`
	Keys    []int `json:"keys"`
	Key     []int `json:"key"`
}

// newest is the highest place that a column has named so far. One above it is written as
// how far it is above, with a minus: mostly -1, so what is new looks the same every time.
type newest int64

func (n *newest) write(place int64) int64 {
	if place <= int64(*n) {
		return place
	}
	above := int64(*n) - place
	*n = newest(place)
	return above
}

func (n *newest) read(written int64) int64 {
	if written < 0 {
		*n -= newest(written)
		return int64(*n)
	}
	return written
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
	texts    map[string]int
	kinds    map[string]int
	looks    map[string]int
	keys     map[int]int            // the column of each key
	last     []int64                // the number before, of each of those
	shapes   map[string]scene.Shape // as they were set last
	newest   map[string]*newest     // by column
	lineless int                    // frames since the last sentence began
}

func pack(demo string, before Frame, frames []Frame) (columns, error) {
	p := packer{texts: map[string]int{}, kinds: map[string]int{}, looks: map[string]int{}, keys: map[int]int{}, shapes: map[string]scene.Shape{},
		newest: map[string]*newest{}}
	// A list that stays empty is [], not null.
	p.columns = columns{Form: Packed, Looks: [][]string{}, Kind: []int{}, Cause: []int{}, At: []int64{}, Display: []int64{}, Object: []int{},
		Kinds:  kinds{[]int{}, []int{}, []int{}, []int{}, []int{}, []int{}, []int{}, []int{}},
		Values: [][]any{}, Line: []int{}, Sets: []int{}, Shape: []int{}, Look: []int{}, Fields: map[string][]int64{}, Gone: []int{}}
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

// place writes one of a column's places.
func (p *packer) place(column string, place int) int {
	if p.newest[column] == nil {
		p.newest[column] = new(newest)
	}
	return int(p.newest[column].write(int64(place)))
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
	back := 0
	if f.Cause != 0 {
		back = f.Event - f.Cause
	}
	p.Kind, p.Cause, p.Object = append(p.Kind, p.place("kind", p.kind(f))), append(p.Cause, back), append(p.Object, p.place("object", p.text(f.Object)))
	p.At, p.Display = append(p.At, f.At-before.At), append(p.Display, f.Display-before.Display)
	for i := 0; i+1 < len(f.Attrs); i += 2 {
		p.attribute(p.text(f.Attrs[i].(string)), f.Attrs[i+1])
	}
	p.lineless++
	if f.Line != nil {
		p.Line = append(p.Line, p.lineless, f.Line.Back, f.Line.N)
		p.lineless = 0
	}
	p.Sets = append(p.Sets, len(f.Set))
	for _, s := range f.Set {
		p.shape(s, f.At)
	}
	for _, id := range f.Gone {
		p.Gone = append(p.Gone, p.place("gone", p.text(id)))
	}
	p.Gone = append(p.Gone, 0)
}

// kind is the number of a frame's.
func (p *packer) kind(f *Frame) int {
	kind := []int{p.text(f.Who), p.text(f.Process), p.text(f.Op), p.text(f.Phrase), f.Stack, 0}
	if f.Quiet {
		kind[5] = 1
	}
	for i := 0; i+1 < len(f.Attrs); i += 2 {
		kind = append(kind, p.text(f.Attrs[i].(string)))
	}
	name := ""
	for _, n := range kind {
		name += strconv.Itoa(n) + " "
	}
	k, known := p.kinds[name]
	if !known {
		k = len(p.kinds)
		p.kinds[name] = k
		all := &p.Kinds
		for i, column := range []*[]int{&all.Who, &all.Process, &all.Op, &all.Phrase, &all.Stack, &all.Quiet} {
			*column = append(*column, kind[i])
		}
		all.Keys, all.Key = append(all.Keys, len(kind)-6), append(all.Key, kind[6:]...)
	}
	return k
}

// exact is up to where JavaScript adds whole numbers without rounding them.
const exact = 1 << 51

func (p *packer) attribute(key int, value any) {
	column, known := p.keys[key]
	if !known {
		column = len(p.keys)
		p.keys[key] = column
		p.Values, p.last = append(p.Values, nil), append(p.last, 0)
	}
	switch v := value.(type) {
	case string:
		value = p.text(v)
	case bool:
	case int64:
		if value = []any{v, 0}; v > -exact && v < exact {
			value = []any{v - p.last[column]}
			p.last[column] = v
		}
	default:
		value = []any{v, 0}
	}
	p.Values[column] = append(p.Values[column], value)
}

func (p *packer) shape(s scene.Shape, at int64) {
	if s.Kind == scene.Packet {
		s.From -= at
		s.To -= at
	}
	was := p.shapes[s.ID]
	p.shapes[s.ID] = s
	names := []string{}
	now, old := fields(&s), fields(&was)
	for i, f := range now {
		v := p.value(f.at)
		if v == p.value(old[i].at) {
			continue
		}
		names = append(names, f.name)
		if _, isText := f.at.(*string); isText {
			v = int64(p.place(f.name, int(v)))
		}
		p.Fields[f.name] = append(p.Fields[f.name], v)
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
	p.Shape, p.Look = append(p.Shape, p.place("shape", p.text(s.ID))), append(p.Look, l)
}

// field is a field of a shape: its name in JSON, and a pointer to it.
type field struct {
	name string
	at   any
}

// fields are all but the id.
func fields(s *scene.Shape) []field {
	return []field{
		{"k", &s.Kind}, {"role", &s.Role}, {"f", &s.Form}, {"s", &s.State}, {"x", &s.X}, {"y", &s.Y}, {"w", &s.W}, {"h", &s.H}, {"z", &s.Z},
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
	u := unpacker{columns: c, keys: map[int]int{}, last: make([]int64, len(c.Values)), shapes: map[string]scene.Shape{}, newest: map[string]*newest{}}
	u.readKinds()
	out = make([]Frame, len(c.Kind))
	for i := range out {
		f := u.kinds[u.place("kind", int64(c.Kind[i]))]
		f.Event, f.At, f.Display = before.Event+1, before.At+c.At[i], before.Display+c.Display[i]
		f.Object = c.Texts[u.place("object", int64(c.Object[i]))]
		if c.Cause[i] != 0 {
			f.Cause = f.Event - c.Cause[i]
		}
		keys := f.Attrs
		f.Attrs = nil
		for _, key := range keys {
			f.Attrs = append(f.Attrs, c.Texts[key.(int)], u.attribute(key.(int)))
		}
		if u.lineless++; len(u.Line) > 0 && u.Line[0] == u.lineless {
			f.Line = &score.Line{Back: u.Line[1], N: u.Line[2]}
			u.Line, u.lineless = u.Line[3:], 0
		}
		for range c.Sets[i] {
			f.Set = append(f.Set, u.shape(f.At))
		}
		for ; u.Gone[0] != 0; u.Gone = u.Gone[1:] {
			f.Gone = append(f.Gone, c.Texts[u.place("gone", int64(u.Gone[0]))])
		}
		u.Gone = u.Gone[1:]
		out[i], before = f, f
	}
	return out, nil
}

var errBroken = errors.New("the file is broken")

// unpacker has what is left of columns.
type unpacker struct {
	columns
	kinds    []Frame // what frames of each have in common, with keys as places in the place of attributes
	keys     map[int]int
	last     []int64
	shapes   map[string]scene.Shape
	newest   map[string]*newest
	lineless int
}

func (u *unpacker) place(column string, written int64) int64 {
	if u.newest[column] == nil {
		u.newest[column] = new(newest)
	}
	return u.newest[column].read(written)
}

func (u *unpacker) readKinds() {
	k, key := &u.Kinds, 0
	for i := range k.Who {
		f := Frame{Who: u.Texts[k.Who[i]], Process: u.Texts[k.Process[i]], Op: u.Texts[k.Op[i]], Phrase: u.Texts[k.Phrase[i]], Stack: k.Stack[i],
			Quiet: k.Quiet[i] != 0}
		for range k.Keys[i] {
			f.Attrs = append(f.Attrs, k.Key[key])
			key++
		}
		u.kinds = append(u.kinds, f)
	}
}

// attribute takes the next value of a key off, as JSON gives it.
func (u *unpacker) attribute(key int) any {
	column, known := u.keys[key]
	if !known {
		column = len(u.keys)
		u.keys[key] = column
	}
	v := u.Values[column][0]
	u.Values[column] = u.Values[column][1:]
	switch v := v.(type) {
	case float64:
		return u.Texts[int(v)]
	case []any:
		if len(v) > 1 {
			return v[0]
		}
		u.last[column] += int64(v[0].(float64))
		return float64(u.last[column])
	}
	return v
}

// field takes the next value of a field off.
func (u *unpacker) field(name string) int64 {
	v := u.Fields[name][0]
	u.Fields[name] = u.Fields[name][1:]
	return v
}

// shape takes the next one off.
func (u *unpacker) shape(at int64) scene.Shape {
	id, look := u.Texts[u.place("shape", int64(u.Shape[0]))], u.Looks[u.Look[0]]
	u.Shape, u.Look = u.Shape[1:], u.Look[1:]
	s := u.shapes[id]
	s.ID = id
	for _, f := range fields(&s) {
		if len(look) == 0 || look[0] != f.name {
			continue
		}
		switch v := u.field(f.name); to := f.at.(type) {
		case *string:
			*to = u.Texts[u.place(f.name, v)]
		case *int:
			*to = int(v)
		case *int64:
			*to = v
		case *bool:
			*to = v != 0
		}
		look = look[1:]
	}
	u.shapes[id] = s
	if s.Kind == scene.Packet {
		s.From += at
		s.To += at
	}
	return s
}
