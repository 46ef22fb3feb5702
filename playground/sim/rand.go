package sim

import "time"

// Rand is a stream of chance. Streams have names, so that one component's
// draws do not depend on how often another one drew.
//
// The generator is SplitMix64 (Steele, Lea, Flood 2014): eight bytes of state,
// whole numbers only, the same on every host.
type Rand struct {
	state  uint64
	kernel *Kernel // nil for a stream that is nobody's
	aside  uint64  // the state of the stream for those who only look: see Kernel.SetAside
}

// Rand returns the stream of that name.
func (k *Kernel) Rand(name string) *Rand {
	r := k.streams[name]
	if r == nil {
		h := uint64(14695981039346656037) // FNV-1a
		for i := 0; i < len(name); i++ {
			h = (h ^ uint64(name[i])) * 1099511628211
		}
		r = &Rand{state: k.seed ^ h, kernel: k, aside: ^(k.seed ^ h)}
		k.streams[name] = r
	}
	return r
}

// NewRand returns a stream that starts from a seed.
func NewRand(seed uint64) *Rand { return &Rand{state: seed} }

// Uint64 returns 64 random bits.
func (r *Rand) Uint64() uint64 {
	state := &r.state
	if r.kernel != nil && r.kernel.aside {
		state = &r.aside
	}
	*state += 0x9e3779b97f4a7c15
	z := *state
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// IntN returns a number from 0 up to, not including, n. It panics when n < 1.
func (r *Rand) IntN(n int) int {
	if n < 1 {
		panic("sim: IntN needs a positive number")
	}
	// The bias of the remainder is below n/2⁶⁴.
	return int(r.Uint64() % uint64(n))
}

// Between returns a duration from lo to hi, both included, in microseconds.
func (r *Rand) Between(lo, hi time.Duration) time.Duration {
	if hi <= lo {
		return lo
	}
	us := int((hi-lo)/time.Microsecond) + 1
	return lo + time.Duration(r.IntN(us))*time.Microsecond
}

// suffixLetters are upstream's: no vowels and nothing that looks like another
// letter, so that no words appear. Upstream: apimachinery util/rand String.
const suffixLetters = "bcdfghjklmnpqrstvwxz2456789"

// Suffix returns n letters as generated names end in.
func (r *Rand) Suffix(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = suffixLetters[r.IntN(len(suffixLetters))]
	}
	return string(b)
}

// UUID returns a version 4 UUID.
func (r *Rand) UUID() string {
	const hex = "0123456789abcdef"
	hi, lo := r.Uint64(), r.Uint64()
	hi = hi&^0xf000 | 0x4000
	lo = lo&^(3<<62) | 2<<62
	b := make([]byte, 0, 36)
	for i := 0; i < 32; i++ {
		if i == 8 || i == 12 || i == 16 || i == 20 {
			b = append(b, '-')
		}
		v := hi
		if i >= 16 {
			v = lo
		}
		b = append(b, hex[v>>(60-4*(i%16))&15])
	}
	return string(b)
}
