package recording

import (
	"encoding/json"
	"fmt"

	"kubewalk/playground/scene"
)

// Packed is the number of the form in which a file's frames are written.
// Numbers that grow with every frame are written as differences, which a
// compressor makes almost nothing of: a third of the file.
//
//   - e is left out: frame i is event i+1
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

type packedFrame struct {
	Frame
	Event   int   `json:"e,omitempty"`
	At      int64 `json:"at,omitempty"`
	Display int64 `json:"d,omitempty"`
}

// MarshalJSON packs the frames.
func (f File) MarshalJSON() ([]byte, error) {
	out := packedFile{Header: f.Header, Packed: Packed, Frames: make([]packedFrame, len(f.Frames))}
	var at, display int64
	for i, frame := range f.Frames {
		if frame.Event != i+1 {
			return nil, fmt.Errorf("recording of %q: frame %d is event %d, so it is not whole", f.Demo, i, frame.Event)
		}
		if frame.Cause != 0 {
			frame.Cause = frame.Event - frame.Cause
		}
		frame.Set = shift(frame.Set, -frame.At)
		out.Frames[i] = packedFrame{Frame: frame, At: frame.At - at, Display: frame.Display - display}
		at, display = frame.At, frame.Display
	}
	return json.Marshal(out)
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
	f.Frames = make([]Frame, len(in.Frames))
	var at, display int64
	for i, p := range in.Frames {
		at, display = at+p.At, display+p.Display
		frame := p.Frame
		frame.Event, frame.At, frame.Display = i+1, at, display
		if frame.Cause != 0 {
			frame.Cause = frame.Event - frame.Cause
		}
		frame.Set = shift(frame.Set, at)
		f.Frames[i] = frame
	}
	return nil
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
