// Package regularfile reads the files of a book: regular ones, of the book's own folder,
// of a size that somebody wrote. A named pipe or a device would be read for ever, and a
// symbolic link may lead to a file that is nobody's business.
package regularfile

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"kubewalk/generator/problem"
)

// The most bytes of a file, and of one of text.
const (
	MostBytes = 256 << 20
	MostText  = 4 << 20
)

// Read returns what is in a file of the book that has this content folder. What it
// refuses is a problem.Problem; other errors are those of os.ReadFile.
func Read(content, name string) ([]byte, error) { return read(content, name, MostBytes) }

// Text is Read for text: UTF-8, without NUL.
func Text(content, name string) ([]byte, error) {
	text, err := read(content, name, MostText)
	if err != nil {
		return nil, err
	}
	return text, Check(filepath.ToSlash(name), text)
}

func read(content, name string, most int64) ([]byte, error) {
	refuse := func(message, cure string) error {
		return problem.Problem{File: filepath.ToSlash(name), Message: message, Cure: cure}
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if what := Kind(info.Mode()); what != "" {
		return nil, refuse("file is "+what, "remove it, or put a regular file in its place")
	}
	if info.Size() > most {
		return nil, refuse(fmt.Sprintf("file has %d bytes, more than %d", info.Size(), most), "make it smaller, or split it")
	}
	inside, err := within(content, name)
	if err != nil {
		return nil, err
	}
	if !inside {
		return nil, refuse("file is a symbolic link that leads out of the book's folder", "put a copy of the file in its place")
	}
	return os.ReadFile(name)
}

// within tells whether a file is below the folder around the content, links followed.
func within(content, name string) (bool, error) {
	folder, err := filepath.Abs(content)
	if err != nil {
		return false, err
	}
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		return false, err
	}
	full, err := filepath.Abs(name)
	if err != nil {
		return false, err
	}
	if full, err = filepath.EvalSymlinks(full); err != nil {
		return false, err
	}
	relative, err := filepath.Rel(filepath.Dir(folder), full)
	return err == nil && filepath.IsLocal(relative), nil
}

// Kind says what a file is that is not regular; "" for one that is.
func Kind(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return ""
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "no regular file"
}

// Check demands UTF-8 without NUL.
func Check(file string, text []byte) error {
	at, message, cure := bytes.IndexByte(text, 0), "character NUL is not text", "remove it: the file may be damaged"
	if bad := firstInvalid(text); bad >= 0 && (at < 0 || bad < at) {
		at, message, cure = bad, fmt.Sprintf("byte 0x%02x is not UTF-8", text[bad]), "save the file as UTF-8"
	}
	if at < 0 {
		return nil
	}
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		cure = "the file is in UTF-16: save it as UTF-8"
	}
	line, column := problem.Place(text, at)
	return problem.Problem{File: file, Line: line, Column: column, Message: message, Cure: cure}
}

func firstInvalid(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// Hidden tells whether a path has a name that begins with a dot, such as .git or .env.
func Hidden(name string) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(name), "/") {
		if strings.HasPrefix(part, ".") && part != "." && part != ".." {
			return true
		}
	}
	return false
}
