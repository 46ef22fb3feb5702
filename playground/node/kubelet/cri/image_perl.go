package cri

import (
	"strconv"
	"strings"
	"time"
)

// perl runs one program, that of the Job in Kubernetes' documentation: perl -Mbignum=bpi -wle "print bpi(2000)". Any other runs as if nothing were
// known of the image. Upstream: Perl's bignum, bpi.
var perl = Behaviour{
	Images: []string{"docker.io/library/perl"}, SizeBytes: 336374010, Cmd: []string{"perl", "-de0"}, Memory: 12 << 20, open: true,
	Read: func(argv []string) (Program, bool) {
		if base(argv[0]) != "perl" {
			return Program{}, false
		}
		_, program, _ := strings.Cut(strings.Join(argv, " "), "print bpi(")
		digits, _, _ := strings.Cut(program, ")")
		n, err := strconv.Atoi(digits)
		if err != nil || n < 1 || n > mostDigits {
			return Program{}, false
		}
		// The sums take the longer the more digits there are: 2000 of them about five seconds.
		runs := time.Second + time.Duration(n)*time.Duration(n)*time.Microsecond
		return Program{Runs: runs, CPU: 1000 * milli, Says: []string{pi(n)}}, true
	},
}

// mostDigits is how many are computed here, which takes a tenth of a second.
const mostDigits = 5000

// pi is π with so many digits in all, the last of them rounded. It goes by the spigot of Rabinowitz and Wagon.
func pi(n int) string {
	count := n + 3 // so many are true that the last can be rounded
	rest := make([]int, count*10/3+2)
	for i := range rest {
		rest[i] = 2
	}
	digits := make([]int, 0, count+1)
	for len(digits) <= count {
		carry := 0
		for i := len(rest) - 1; i > 0; i-- {
			sum := rest[i]*10 + carry
			rest[i] = sum % (2*i + 1)
			carry = sum / (2*i + 1) * i
		}
		sum := rest[0]*10 + carry
		rest[0] = sum % 10
		digits = append(digits, sum/10)
	}
	if digits[n] >= 5 {
		digits[n-1]++
	}
	var out strings.Builder
	for i := count; i > 0; i-- { // a digit may be ten or more, and then the one before it is too small
		digits[i-1] += digits[i] / 10
		digits[i] %= 10
	}
	for i, d := range digits[:n] {
		if i == 1 {
			out.WriteByte('.')
		}
		out.WriteByte(byte('0' + d))
	}
	return out.String()
}
