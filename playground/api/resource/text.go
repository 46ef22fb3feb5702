package resource

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// What ParseQuantity answers to texts that are no quantity; the words are upstream's, but for ErrRange.
var (
	ErrFormatWrong = errors.New("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")
	ErrNumeric     = errors.New("unable to parse numeric part of quantity")
	ErrSuffix      = errors.New("unable to parse quantity's suffix")
	// ErrRange says that the amount is beyond what a Quantity here can hold (see the package's comment).
	ErrRange = errors.New("quantity out of range")
)

// The suffixes by the power they stand for: 10^(3(i-3)) and 2^(10(i+1)).
var (
	decimalSuffixes = [...]string{"n", "u", "m", "", "k", "M", "G", "T", "P", "E"}
	binarySuffixes  = [...]string{"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}
)

// MustParse is ParseQuantity for constants: it panics on an error.
func MustParse(s string) Quantity {
	q, err := ParseQuantity(s)
	if err != nil {
		panic(fmt.Errorf("cannot parse '%v': %v", s, err))
	}
	return q
}

// ParseQuantity reads "100m", "1.5Gi", "1e3". Less than a billionth is rounded away from 0, and binary amounts end at
// 2^63-1. Upstream: apimachinery/pkg/api/resource/quantity.go, ParseQuantity.
func ParseQuantity(s string) (Quantity, error) {
	p, err := split(s)
	if err != nil {
		return Quantity{}, err
	}
	base, exp, format, ok := interpret(p.suffix)
	if !ok {
		return Quantity{}, ErrSuffix
	}
	q := Quantity{Format: format}
	var nanos uint128
	if !p.hasDigits && p.isSlow(base, exp) {
		return Quantity{}, ErrNumeric
	}
	if base == 2 {
		nanos, err = p.binary(exp)
	} else {
		nanos, err = p.decimal(exp)
	}
	if err != nil {
		return Quantity{}, err
	}
	q.set(nanos, p.negative)
	if p.isCanonical(base, exp) {
		q.s = s
	} else if base == 2 && p.isSlow(base, exp) && q.CmpInt64(1) < 0 && q.CmpInt64(-1) > 0 && !q.IsZero() {
		q.Format = DecimalSI // there is no binary suffix for fractions
	}
	return q, nil
}

// parts are the pieces of a quantity's text; num has no leading zeros, but is "0" rather than empty.
type parts struct {
	negative           bool
	num, denom, suffix string
	hasDigits          bool
}

func split(s string) (p parts, err error) {
	if s == "" {
		return p, ErrFormatWrong
	}
	rest := s
	if rest[0] == '-' || rest[0] == '+' {
		p.negative = rest[0] == '-'
		rest = rest[1:]
	}
	before := rest
	p.num, rest = span(strings.TrimLeft(rest, "0"), "0123456789")
	if p.num == "" {
		p.num = "0"
	}
	if after, ok := strings.CutPrefix(rest, "."); ok {
		p.denom, rest = span(after, "0123456789")
	}
	p.hasDigits = strings.ContainsAny(before[:len(before)-len(rest)], "0123456789")
	p.suffix = rest
	_, rest = span(rest, "eEinumkKMGTP")
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		rest = rest[1:]
	}
	if _, rest = span(rest, "0123456789"); rest != "" {
		return p, ErrFormatWrong
	}
	return p, nil
}

// span cuts s after its longest prefix of the given characters.
func span(s, set string) (string, string) {
	rest := strings.TrimLeft(s, set)
	return s[:len(s)-len(rest)], rest
}

func interpret(suffix string) (base, exp int, format Format, ok bool) {
	for i, s := range decimalSuffixes {
		if s == suffix {
			return 10, 3 * (i - 3), DecimalSI, true
		}
	}
	for i, s := range binarySuffixes {
		if s == suffix {
			return 2, 10 * (i + 1), BinarySI, true
		}
	}
	if len(suffix) > 1 && (suffix[0] == 'E' || suffix[0] == 'e') {
		if n, err := strconv.ParseInt(suffix[1:], 10, 64); err == nil {
			return 10, int(int32(n)), DecimalExponent, true
		}
	}
	return 0, 0, "", false
}

// digits reads the digits without their point.
func digits(s string) (n uint128, ok bool) {
	for _, c := range []byte(s) {
		if n, ok = n.mul(10); !ok {
			return n, false
		}
		if n, ok = n.add(uint128{0, uint64(c - '0')}); !ok {
			return n, false
		}
	}
	return n, true
}

func (p parts) decimal(exp int) (uint128, error) {
	n, ok := digits(p.num + p.denom)
	if ok {
		n, ok = scaled(n, exp-len(p.denom)-int(Nano))
	}
	if !ok {
		return n, ErrRange
	}
	return n, nil
}

func (p parts) binary(exp int) (uint128, error) {
	limit, _ := uint128{0, math.MaxInt64}.mul(1e9)
	whole, ok := digits(p.num)
	if !ok || whole.hi != 0 || whole.lo > math.MaxInt64>>exp {
		return limit, nil
	}
	n, ok := digits(p.num + p.denom)
	if ok {
		n, ok = n.mul(1 << exp)
	}
	if ok {
		n, ok = scaled(n, -len(p.denom)-int(Nano))
	}
	if !ok {
		return n, ErrRange
	}
	if n.cmp(limit) > 0 {
		n = limit
	}
	return n, nil
}

// isSlow says that upstream would read the text with math/big. It never keeps such a text.
func (p parts) isSlow(base, exp int) bool {
	if base == 2 {
		return len(p.denom) > 0 || 15-len(p.num)-exp*3/10-1 < 0
	}
	return len(p.num)+len(p.denom) > 18 || exp-len(p.denom) < int(Nano)
}

// isCanonical says that the text is kept to be printed again. It is upstream's guess, which takes some texts for
// canonical that aren't ("+1", "1.500").
func (p parts) isCanonical(base, exp int) bool {
	if p.isSlow(base, exp) {
		return false
	}
	all := p.num + p.denom
	if base == 2 {
		n, _ := strconv.ParseInt(p.num, 10, 64)
		return n&7 != 0
	}
	return (exp-len(p.denom))%3 == 0 && !strings.HasSuffix(all, "000") && all[0] != '0'
}

// String is the canonical form: no fraction, the largest suffix that allows that, the format's kind of suffix. A
// binary quantity below 1024 or with a fraction prints in decimal. Upstream: Quantity.CanonicalizeBytes.
func (q *Quantity) String() string {
	if q == nil {
		return "<nil>"
	}
	return string(q.append(nil))
}

func (q *Quantity) append(out []byte) []byte {
	if q.s != "" {
		return append(out, q.s...)
	}
	if q.IsZero() {
		return append(out, '0')
	}
	if q.negative {
		out = append(out, '-')
	}
	whole, rest := q.nanos.divMod(1e9)
	if q.Format == BinarySI && rest == 0 && whole.cmp(uint128{0, 1024}) >= 0 {
		n, times := whole.stripped(1024, len(binarySuffixes))
		out = n.appendTo(out)
		if times > 0 {
			out = append(out, binarySuffixes[times-1]...)
		}
		return out
	}
	si := q.Format == DecimalSI || q.Format == BinarySI
	limit := 12
	if si {
		limit = len(decimalSuffixes) - 1
	}
	n, times := q.nanos.stripped(1000, limit)
	out = n.appendTo(out)
	switch {
	case si:
		out = append(out, decimalSuffixes[times]...)
	case times != 3:
		out = append(out, 'e')
		out = strconv.AppendInt(out, int64(3*(times-3)), 10)
	}
	return out
}

// MarshalJSON implements json.Marshaler: the text of String.
func (q Quantity) MarshalJSON() ([]byte, error) {
	return append(q.append([]byte{'"'}), '"'), nil
}

// UnmarshalJSON implements json.Unmarshaler: a text or a number; null is 0.
func (q *Quantity) UnmarshalJSON(b []byte) error {
	s := string(b)
	if s == "null" {
		q.set(uint128{}, false)
		return nil
	}
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		s = s[1 : len(s)-1]
	}
	parsed, err := ParseQuantity(strings.TrimSpace(s))
	if err != nil {
		return err
	}
	*q = parsed
	return nil
}
