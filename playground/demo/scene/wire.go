package scene

import (
	"strconv"
	"strings"
)

// wire joins a component and the API server.
type wire struct{ path string }

func path(xy ...int) string {
	var s strings.Builder
	for i := 0; i < len(xy); i += 2 {
		if i == 0 {
			s.WriteString("M ")
		} else {
			s.WriteString(" L ")
		}
		s.WriteString(strconv.Itoa(xy[i]))
		s.WriteByte(' ')
		s.WriteString(strconv.Itoa(xy[i+1]))
	}
	return s.String()
}

// natural orders "node-2" before "node-10".
func natural(a, b string) bool {
	i := len(strings.TrimRight(a, "0123456789"))
	j := len(strings.TrimRight(b, "0123456789"))
	if a[:i] != b[:j] || len(a) == len(b) {
		return a < b
	}
	return len(a) < len(b)
}
