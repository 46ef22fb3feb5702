package podlogger

import (
	"errors"
	"time"

	"kubewalk/playground/sim"
)

// printing is how long it takes to print a line. Upstream's example prints in
// no time; real business logic asks somebody.
const printing = 300 * time.Millisecond

// errNoSpace is what a write to a full disk ends with.
var errNoSpace = errors.New("write /dev/stdout: no space left on device")

// Stdout is where the program prints: a file, on a disk that may be full. It
// outlives the program.
type Stdout struct{ Full bool }

// Print prints a line about a Pod.
func (s *Stdout) Print(p *sim.Proc, line, key string) error {
	p.Sleep(printing)
	if s.Full {
		return errNoSpace
	}
	p.Logger().Info(line, "pod", key)
	return nil
}
