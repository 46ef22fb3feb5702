// Package ustar is the format of tar's archives, as tar in our containers and kubectl cp at their other end write and read it.
//
// Simplified: it writes GNU's names, and reads those, ustar's and pax' paths; there are no links, and files have no owners that
// anybody looks at. Upstream: POSIX pax(1); GNU tar; Go's archive/tar.
package ustar

import (
	"errors"
	"io"
	"strconv"
	"strings"
)

// Block is the number of bytes of what archives are made of.
const Block = 512

// The types of members.
const (
	File      = '0'
	Directory = '5'

	pax    = 'x' // attributes of the next member
	common = 'g' // attributes of all members
	long   = 'L' // the next member's name
)

// Member is a file or a directory in an archive.
type Member struct {
	Name     string // of a directory, with a slash at its end
	Kind     byte   // a link or the like is neither File nor Directory
	Mode     int32  // permissions; negative where nobody can read them
	UID, GID int64
	Time     int64 // seconds since the epoch; it is written only
	Size     int   // of Data, for Header
	Data     string
}

// End is what an archive ends with.
var End = strings.Repeat("\x00", 2*Block)

// Padding is what follows text of a size, up to the end of its block.
func Padding(size int) string { return strings.Repeat("\x00", whole(size)-size) }

// whole is a number of bytes in whole blocks.
func whole(size int) int { return (size + Block - 1) / Block * Block }

// Header is what stands before a member's data.
func (m *Member) Header() string {
	before := ""
	block := make([]byte, Block)
	if copy(block[:100], m.Name) < len(m.Name) {
		name := Member{Name: "././@LongLink", Kind: long, Time: m.Time, Size: len(m.Name) + 1}
		before = name.Header() + m.Name + "\x00" + Padding(len(m.Name)+1)
	}
	copy(block[148:], "        ")
	block[156] = m.Kind
	copy(block[257:], "ustar  ")
	put := func(at, width int, n int64) {
		digits := strconv.FormatInt(n|1<<33, 8)
		copy(block[at:], digits[len(digits)-width:])
	}
	put(100, 7, int64(m.Mode))
	put(108, 7, m.UID)
	put(116, 7, m.GID)
	put(124, 11, int64(m.Size))
	put(136, 11, m.Time)
	sum := int64(0)
	for _, b := range block {
		sum += int64(b)
	}
	put(148, 6, sum)
	block[154] = 0
	return before + string(block)
}

// What is wrong with an archive.
var (
	ErrShort = errors.New("short read")
	ErrMagic = errors.New("invalid tar magic")
)

// Next takes the first member off an archive. The error is io.EOF at its end, ErrShort if there is no end, and ErrMagic if it is none.
func Next(archive string) (m Member, rest string, err error) {
	name := "" // what an earlier member says of the next one
	for {
		if len(archive) < Block {
			return m, "", ErrShort
		}
		block := archive[:Block]
		if archive = archive[Block:]; block[0] == 0 {
			return m, "", io.EOF
		}
		size, err := number(block[124:136])
		if err != nil || block[257:262] != "ustar" {
			return m, "", ErrMagic
		}
		if whole(size) > len(archive) {
			return m, "", ErrShort
		}
		data := archive[:size]
		archive = archive[whole(size):]
		switch block[156] {
		case long:
			name = upTo0(data)
			continue
		case pax: // "19 path=long/name\n" is among them
			_, name, _ = strings.Cut(data, " path=")
			name, _, _ = strings.Cut(name, "\n")
			continue
		case common:
			continue
		}
		if name == "" {
			name = upTo0(block[:100])
			if prefix := upTo0(block[345:500]); block[262] == 0 && prefix != "" {
				name = prefix + "/" + name
			}
		}
		mode, err := number(block[100:108])
		if err != nil {
			mode = -1
		}
		kind := block[156]
		if kind == 0 {
			kind = File
		}
		return Member{Name: name, Kind: kind, Mode: int32(mode), Size: size, Data: data}, archive, nil
	}
}

// Short tells whether there is no end of an archive.
func Short(archive string) bool {
	for {
		_, rest, err := Next(archive)
		if err != nil {
			return err == ErrShort
		}
		archive = rest
	}
}

// number reads digits of base 8.
func number(text string) (int, error) {
	n, err := strconv.ParseUint(strings.Trim(text, " \x00"), 8, 31)
	return int(n), err
}

func upTo0(text string) string {
	text, _, _ = strings.Cut(text, "\x00")
	return text
}
