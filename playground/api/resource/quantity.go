// Package resource holds Quantity, the number in which Kubernetes counts CPU, memory and the like: "100m", "1.5",
// "1Gi". It reads and prints as upstream's k8s.io/apimachinery/pkg/api/resource does, to the byte.
//
// What differs: an amount is a whole number of billionths in 127 bits and a sign, so it ends at about 1.7e29, and a
// text may have at most 38 digits. Upstream goes on with math/big; here ParseQuantity answers ErrRange. Accessors
// that upstream lets overflow silently (MilliValue of 10E is 0 there) stop at the largest int64. There are no floats.
package resource

import "math"

// Format says in which style a Quantity prints.
type Format string

// The three styles. A quantity keeps the one it was written in.
const (
	// DecimalExponent is 12e6.
	DecimalExponent = Format("DecimalExponent")
	// BinarySI is 12Mi, which is 12 * 2^20.
	BinarySI = Format("BinarySI")
	// DecimalSI is 12M, which is 12 * 10^6.
	DecimalSI = Format("DecimalSI")
)

// Scale is a power of ten.
type Scale int32

// The powers of ten that have names.
const (
	Nano  Scale = -9
	Micro Scale = -6
	Milli Scale = -3
	Kilo  Scale = 3
	Mega  Scale = 6
	Giga  Scale = 9
	Tera  Scale = 12
	Peta  Scale = 15
	Exa   Scale = 18
)

// Quantity is a fixed-point number. The zero value is 0. It holds no pointers: assigning it copies it. Compare with
// Cmp or Equal; == would tell 1000m from 1.
type Quantity struct {
	// nanos is the magnitude in billionths; its top bit is never set. negative is never set for 0.
	nanos    uint128
	negative bool
	// s is the text it was parsed from, when that is what it prints. Every change of the amount clears it.
	s string
	// Format is the style in which it prints.
	Format
}

// NewQuantity makes a quantity of whole units.
func NewQuantity(value int64, format Format) *Quantity {
	q := &Quantity{Format: format}
	q.Set(value)
	return q
}

// NewMilliQuantity makes a quantity of thousandths.
func NewMilliQuantity(value int64, format Format) *Quantity {
	q := &Quantity{Format: format}
	q.SetMilli(value)
	return q
}

// NewScaledQuantity makes a quantity of value * 10^scale.
func NewScaledQuantity(value int64, scale Scale) *Quantity {
	q := &Quantity{Format: DecimalSI}
	q.SetScaled(value, scale)
	return q
}

// Set makes q hold whole units.
func (q *Quantity) Set(value int64) { q.SetScaled(value, 0) }

// SetMilli makes q hold thousandths.
func (q *Quantity) SetMilli(value int64) { q.SetScaled(value, Milli) }

// SetScaled makes q hold value * 10^scale. It rounds away from 0 below a billionth, and panics above the range.
func (q *Quantity) SetScaled(value int64, scale Scale) {
	m := uint128{0, magnitude(value)}
	nanos, ok := scaled(m, int(scale-Nano))
	if !ok {
		panic("resource: quantity out of range")
	}
	q.set(nanos, value < 0)
}

func (q *Quantity) set(nanos uint128, negative bool) {
	q.nanos, q.negative, q.s = nanos, negative && !nanos.isZero(), ""
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// Value is the quantity in whole units, rounded away from 0.
func (q *Quantity) Value() int64 { return q.ScaledValue(0) }

// MilliValue is the quantity in thousandths, rounded away from 0.
func (q *Quantity) MilliValue() int64 { return q.ScaledValue(Milli) }

// ScaledValue is the quantity in units of 10^scale, rounded away from 0. It stops at the ends of int64.
func (q *Quantity) ScaledValue(scale Scale) int64 {
	n, ok := scaled(q.nanos, int(Nano-scale))
	switch {
	case q.negative && (!ok || n.hi != 0 || n.lo >= 1<<63):
		return math.MinInt64
	case q.negative:
		return -int64(n.lo)
	case !ok || n.hi != 0 || n.lo >= 1<<63:
		return math.MaxInt64
	}
	return int64(n.lo)
}

// AsInt64 is the quantity in whole units, and false if it isn't a whole number of int64.
func (q *Quantity) AsInt64() (int64, bool) {
	n, rest := q.nanos.divMod(1e9)
	if rest != 0 || n.hi != 0 || n.lo >= 1<<63 {
		return 0, false
	}
	return q.Value(), true
}

// IsZero says that the amount is 0.
func (q *Quantity) IsZero() bool { return q.nanos.isZero() }

// Sign is -1, 0 or 1.
func (q *Quantity) Sign() int {
	switch {
	case q.IsZero():
		return 0
	case q.negative:
		return -1
	}
	return 1
}

// Cmp is -1 if q < y, 0 if they are the same amount in whatever format, 1 if q > y.
func (q *Quantity) Cmp(y Quantity) int {
	switch {
	case q.negative && y.negative:
		return y.nanos.cmp(q.nanos)
	case q.negative:
		return -1
	case y.negative:
		return 1
	}
	return q.nanos.cmp(y.nanos)
}

// CmpInt64 is Cmp with whole units.
func (q *Quantity) CmpInt64(y int64) int { return q.Cmp(*NewQuantity(y, q.Format)) }

// Equal says that both are the same amount.
func (q Quantity) Equal(y Quantity) bool { return q.Cmp(y) == 0 }

// Add adds y. A q of 0 takes y's format. It panics beyond the range.
func (q *Quantity) Add(y Quantity) {
	if q.IsZero() {
		q.Format = y.Format
	}
	if q.negative == y.negative {
		sum, ok := q.nanos.add(y.nanos)
		if !ok || sum.hi>>63 != 0 {
			panic("resource: quantity out of range")
		}
		q.set(sum, q.negative)
	} else if q.nanos.cmp(y.nanos) >= 0 {
		q.set(q.nanos.sub(y.nanos), q.negative)
	} else {
		q.set(y.nanos.sub(q.nanos), y.negative)
	}
}

// Sub subtracts y. A q of 0 takes y's format. It panics beyond the range.
func (q *Quantity) Sub(y Quantity) {
	y.Neg()
	q.Add(y)
}

// Neg changes the sign.
func (q *Quantity) Neg() { q.set(q.nanos, !q.negative) }

// RoundUp rounds away from 0 to a multiple of 10^scale, and says whether that changed nothing.
func (q *Quantity) RoundUp(scale Scale) bool {
	n, _ := scaled(q.nanos, int(Nano-scale))
	n, ok := scaled(n, int(scale-Nano))
	if !ok || n == q.nanos {
		return true
	}
	q.set(n, q.negative)
	return false
}

// DeepCopy returns q: it shares nothing.
func (q Quantity) DeepCopy() Quantity { return q }

// scaled is n * 10^exp, rounded up, and false if that doesn't fit.
func scaled(n uint128, exp int) (uint128, bool) {
	for ; exp > 0 && !n.isZero(); exp-- {
		var ok bool
		if n, ok = n.mul(10); !ok || n.hi>>63 != 0 {
			return n, false
		}
	}
	lost := false
	for ; exp < 0 && !n.isZero(); exp++ {
		var rest uint64
		n, rest = n.divMod(10)
		lost = lost || rest != 0
	}
	if lost {
		n, _ = n.add(uint128{0, 1})
	}
	return n, true
}
