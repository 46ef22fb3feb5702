package resource

import "math/bits"

// uint128 is the magnitude of an amount in billionths. math/big would do too, for 40 kB more of WebAssembly and an
// allocation for every Quantity; a fixed width makes a Quantity a plain value that copies share safely.
type uint128 struct{ hi, lo uint64 }

func (a uint128) isZero() bool { return a.hi|a.lo == 0 }

func (a uint128) cmp(b uint128) int {
	switch {
	case a == b:
		return 0
	case a.hi < b.hi || a.hi == b.hi && a.lo < b.lo:
		return -1
	}
	return 1
}

// add, and mul, report false when the result doesn't fit.
func (a uint128) add(b uint128) (uint128, bool) {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, carry := bits.Add64(a.hi, b.hi, carry)
	return uint128{hi, lo}, carry == 0
}

// sub wants a >= b.
func (a uint128) sub(b uint128) uint128 {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	hi, _ := bits.Sub64(a.hi, b.hi, borrow)
	return uint128{hi, lo}
}

func (a uint128) mul(n uint64) (uint128, bool) {
	carry, lo := bits.Mul64(a.lo, n)
	over, hi := bits.Mul64(a.hi, n)
	hi, carry = bits.Add64(hi, carry, 0)
	return uint128{hi, lo}, over == 0 && carry == 0
}

func (a uint128) divMod(n uint64) (uint128, uint64) {
	hi, rest := a.hi/n, a.hi%n
	lo, rest := bits.Div64(rest, a.lo, n)
	return uint128{hi, lo}, rest
}

// stripped divides by n as often as that leaves no rest, but at most max times.
func (a uint128) stripped(n uint64, max int) (uint128, int) {
	for times := range max {
		q, rest := a.divMod(n)
		if rest != 0 || a.isZero() {
			return a, times
		}
		a = q
	}
	return a, max
}

// appendTo writes a in decimal.
func (a uint128) appendTo(out []byte) []byte {
	var digits [39]byte
	i := len(digits)
	for {
		var d uint64
		a, d = a.divMod(10)
		i--
		digits[i] = '0' + byte(d)
		if a.isZero() {
			return append(out, digits[i:]...)
		}
	}
}
