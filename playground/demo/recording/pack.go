package recording

import (
	"encoding/json"
	"fmt"

	"kubewalk/playground/demo/scene"
)

// Packed is the number of the form in which a file's frames are written.
// Numbers that grow with every frame are written as differences, which a
// compressor makes almost nothing of: a third of the file.
//
//   - e is left out: it is one more than the frame before's
//   - c is how many events back the cause is
//   - at and d are what is added to the frame before
//   - a packet's from and to are counted from its frame's at
//
// Frames that the worker sends are not packed.
const Packed = 1

// packedFile is File as JSON.
type packedFile struct {
	Header
	Packed int           `json:"packed"`
	Frames []packedFrame `json:"frames"`
}

// packedRest is Rest as JSON. Its first frame is written as what is added to the
// last one of the file before.
type packedRest struct {
	Version int           `json:"version"`
	Demo    string        `json:"demo"`
	Packed  int           `json:"packed"`
	Frames  []packedFrame `json:"frames"`
}

type packedFrame struct {
	Frame
	Event   int   `json:"e,omitempty"`
	At      int64 `json:"at,omitempty"`
	Display int64 `json:"d,omitempty"`
}

// MarshalJSON packs the frames.
func (f File) MarshalJSON() ([]byte, error) {
	frames, err := pack(f.Demo, Frame{}, f.Frames)
	if err != nil {
		return nil, err
	}
	return json.Marshal(packedFile{f.Header, Packed, frames})
}

// MarshalJSON packs the frames.
func (r Rest) MarshalJSON() ([]byte, error) {
	frames, err := pack(r.Demo, r.After, r.Frames)
	if err != nil {
		return nil, err
	}
	return json.Marshal(packedRest{Version, r.Demo, Packed, frames})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (f *File) UnmarshalJSON(text []byte) error {
	var in packedFile
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	if in.Packed != Packed {
		return fmt.Errorf("recording of %q: frames are in form %d, not %d", in.Demo, in.Packed, Packed)
	}
	f.Header = in.Header
	f.Frames = unpack(Frame{}, in.Frames)
	return nil
}

// Complete adds the frames of the file that Rest names.
func (f *File) Complete(text []byte) error {
	var in packedRest
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	if in.Version != f.Version || in.Packed != Packed || in.Demo != f.Demo {
		return fmt.Errorf("recording of %q, version %d: its rest is of %q, version %d, form %d", f.Demo, f.Version, in.Demo, in.Version, in.Packed)
	}
	var last Frame
	if n := len(f.Frames); n > 0 {
		last = f.Frames[n-1]
	}
	if n := len(f.Frames) + len(in.Frames); n != f.Length {
		return fmt.Errorf("recording of %q: with its rest it has %d frames, not %d", f.Demo, n, f.Length)
	}
	f.Frames = append(f.Frames, unpack(last, in.Frames)...)
	f.Rest = ""
	return nil
}

// pack writes frames as what is added to the frame before each.
func pack(demo string, before Frame, frames []Frame) ([]packedFrame, error) {
	out := make([]packedFrame, len(frames))
	for i, frame := range frames {
		if frame.Event != before.Event+1 {
			return nil, fmt.Errorf("recording of %q: event %d follows event %d, so it is not whole", demo, frame.Event, before.Event)
		}
		out[i] = packedFrame{Frame: frame, At: frame.At - before.At, Display: frame.Display - before.Display}
		if frame.Cause != 0 {
			out[i].Cause = frame.Event - frame.Cause
		}
		out[i].Set = shift(frame.Set, -frame.At)
		before = frame
	}
	return out, nil
}

// unpack undoes pack.
func unpack(before Frame, packed []packedFrame) []Frame {
	out := make([]Frame, len(packed))
	for i, p := range packed {
		frame := p.Frame
		frame.Event, frame.At, frame.Display = before.Event+1, before.At+p.At, before.Display+p.Display
		if frame.Cause != 0 {
			frame.Cause = frame.Event - frame.Cause
		}
		frame.Set = shift(frame.Set, frame.At)
		out[i] = frame
		before = frame
	}
	return out
}

// shift moves the times of packets, in a copy.
func shift(shapes []scene.Shape, by int64) []scene.Shape {
	var out []scene.Shape
	for i := range shapes {
		if shapes[i].Kind != scene.Packet {
			continue
		}
		if out == nil {
			out = append(out, shapes...)
		}
		out[i].From += by
		out[i].To += by
	}
	if out == nil {
		return shapes
	}
	return out
}
