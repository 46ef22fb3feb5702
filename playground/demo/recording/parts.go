package recording

// opening is how many frames after the set-up the first file of a recording
// holds. A frame takes about 15 bytes as it is sent. With a set-up of 1,700 frames
// that makes 36 kB before the first play, and nine seconds of display
// in which the rest can come.
const opening = 600

// fewest is how many frames have to be left over to be worth a file of their own.
const fewest = 300

// NewFile is a whole recording.
func NewFile(head Header, frames []Frame) File {
	head.Length = len(frames)
	if len(frames) > 0 {
		head.End = frames[len(frames)-1].Display
	}
	marks := make([]Mark, len(head.Marks))
	for i, m := range head.Marks {
		if marks[i] = m; m.Frame < len(frames) {
			marks[i].Display = frames[m.Frame].Display
		}
	}
	head.Marks = marks
	return File{Header: head, Frames: frames}
}

// Split divides a recording into what a page needs to play it and a rest, which
// the first part calls by the name. The rest is nil when it is not worth a file.
func (f File) Split(name string) (File, *Rest) {
	at := f.First + 1 + opening
	if len(f.Frames)-at < fewest {
		return f, nil
	}
	rest := &Rest{Demo: f.Demo, After: f.Frames[at-1], Frames: f.Frames[at:]}
	f.Frames, f.Rest = f.Frames[:at], name
	return f, rest
}
