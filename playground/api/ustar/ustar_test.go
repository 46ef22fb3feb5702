package ustar

import (
	"archive/tar"
	"bytes"
	"io"
	"strings"
	"testing"
)

// Go's package reads what is written here, and the other way around.
func TestIsTheRealFormat(t *testing.T) {
	names := []string{"a", "d/", "d/" + strings.Repeat("long/", 30) + "end", strings.Repeat("n", 100)}
	var ours strings.Builder
	for n, name := range names {
		m := Member{Name: name, Kind: File, Mode: 0o640, UID: 7, GID: 8, Time: 1_700_000_000, Data: strings.Repeat("x", n*300)}
		if strings.HasSuffix(name, "/") {
			m.Kind, m.Data = Directory, ""
		}
		m.Size = len(m.Data)
		ours.WriteString(m.Header() + m.Data + Padding(m.Size))
	}
	ours.WriteString(End)
	var theirs bytes.Buffer
	w := tar.NewWriter(&theirs)
	for r := tar.NewReader(strings.NewReader(ours.String())); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		data, _ := io.ReadAll(r)
		if h.Name != names[0] || h.Mode != 0o640 || h.Uid != 7 || h.Gid != 8 || h.ModTime.Unix() != 1_700_000_000 {
			t.Errorf("%+v, want %q", h, names[0])
		}
		names = names[1:]
		h.Format = tar.FormatPAX
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		w.Write(data)
	}
	if len(names) > 0 {
		t.Errorf("not read: %q", names)
	}
	w.Close()
	text, archive := theirs.String(), ours.String()
	for {
		want, rest, err := Next(archive)
		got, more, err2 := Next(text)
		if got != want || err != err2 {
			t.Fatalf("%+v %v, want %+v %v", got, err2, want, err)
		}
		if archive, text = rest, more; err != nil {
			if err != io.EOF {
				t.Error(err)
			}
			break
		}
	}
}

func TestBrokenArchives(t *testing.T) {
	whole := (&Member{Name: "a", Kind: File, Size: 600}).Header()
	for text, want := range map[string]error{"": ErrShort, whole: ErrShort, strings.Repeat("x", Block): ErrMagic, End: io.EOF} {
		if _, _, err := Next(text); err != want {
			t.Errorf("%.20q: %v, want %v", text, err, want)
		}
	}
}
