package resource

import (
	"encoding/json"
	"math"
	"testing"
)

func TestParseAndPrint(t *testing.T) {
	tests := []struct {
		in, want string
		format   Format
	}{
		{"0", "0", DecimalSI}, {"100m", "100m", DecimalSI}, {"1", "1", DecimalSI}, {"1.5", "1500m", DecimalSI},
		{"1000m", "1", DecimalSI}, {"2000", "2k", DecimalSI}, {"2k", "2k", DecimalSI}, {"0.5", "500m", DecimalSI},
		{"1Gi", "1Gi", BinarySI}, {"1024Mi", "1Gi", BinarySI}, {"1.5Gi", "1536Mi", BinarySI}, {"512", "512", DecimalSI},
		{"0.1Gi", "107374182400m", BinarySI}, {"1000Ki", "1000Ki", BinarySI}, {"0.0001Ki", "102400u", DecimalSI},
		{"1e3", "1e3", DecimalExponent}, {"1E3", "1E3", DecimalExponent}, {"12e-1", "1200e-3", DecimalExponent},
		{"-5", "-5", DecimalSI}, {"-0", "0", DecimalSI}, {"0.1n", "1n", DecimalSI}, {"1.000000001", "1.000000001", DecimalSI},
		{"1.0000000010", "1000000001n", DecimalSI},
		{"100Ei", "9223372036854775807", BinarySI}, {"9E", "9E", DecimalSI}, {"+1", "+1", DecimalSI},
	}
	for _, tt := range tests {
		q, err := ParseQuantity(tt.in)
		if err != nil || q.String() != tt.want || q.Format != tt.format {
			t.Errorf("ParseQuantity(%q) = %s (%s), %v, want %s (%s)", tt.in, q.String(), q.Format, err, tt.want, tt.format)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for in, want := range map[string]error{
		"": ErrFormatWrong, "x": ErrFormatWrong, "1x": ErrFormatWrong, "1 ": ErrFormatWrong, "1KI": ErrFormatWrong,
		"1Kii": ErrSuffix, "1e": ErrSuffix, "1mm": ErrSuffix, "Ei": ErrNumeric, "1e40": ErrRange,
	} {
		if _, err := ParseQuantity(in); err != want {
			t.Errorf("ParseQuantity(%q) = %v, want %v", in, err, want)
		}
	}
}

func TestArithmetic(t *testing.T) {
	tests := []struct{ a, b, sum, diff string }{
		{"1", "500m", "1500m", "500m"}, {"1Gi", "1Mi", "1025Mi", "1023Mi"}, {"0", "1Gi", "1Gi", "-1Gi"},
		{"1", "1", "2", "0"}, {"-1", "3", "2", "-4"}, {"1Gi", "1", "1073741825", "1073741823"},
	}
	for _, tt := range tests {
		a, b := MustParse(tt.a), MustParse(tt.b)
		sum, diff := a, a
		sum.Add(b)
		diff.Sub(b)
		if sum.String() != tt.sum || diff.String() != tt.diff || a.String() != tt.a {
			t.Errorf("%s and %s: sum %s, difference %s, want %s, %s", tt.a, tt.b, sum.String(), diff.String(), tt.sum, tt.diff)
		}
	}
}

func TestAccessors(t *testing.T) {
	tests := []struct {
		in           string
		value, milli int64
	}{
		{"100m", 1, 100}, {"1.5", 2, 1500}, {"-1500m", -2, -1500}, {"1Gi", 1 << 30, 1000 << 30}, {"1n", 1, 1},
		{"10E", math.MaxInt64, math.MaxInt64}, {"-10E", math.MinInt64, math.MinInt64}, {"0", 0, 0},
	}
	for _, tt := range tests {
		q := MustParse(tt.in)
		if q.Value() != tt.value || q.MilliValue() != tt.milli {
			t.Errorf("%s: value %d, milli %d, want %d, %d", tt.in, q.Value(), q.MilliValue(), tt.value, tt.milli)
		}
	}
	if q := NewMilliQuantity(1500, DecimalSI); q.String() != "1500m" || q.Cmp(MustParse("1.5")) != 0 || q.CmpInt64(2) != -1 {
		t.Errorf("1500 thousandths are %s", q)
	}
	if q := NewQuantity(math.MinInt64, BinarySI); q.String() != "-8Ei" || q.Value() != math.MinInt64 {
		t.Errorf("the smallest int64 is %s", q)
	}
}

func TestJSON(t *testing.T) {
	for in, want := range map[string]string{`"1Gi"`: `"1Gi"`, `2`: `"2"`, `" 1 "`: `"1"`, `1.5`: `"1500m"`, `null`: `"0"`} {
		var q Quantity
		if err := json.Unmarshal([]byte(in), &q); err != nil {
			t.Errorf("%s: %v", in, err)
		}
		if out, _ := json.Marshal(q); string(out) != want {
			t.Errorf("%s became %s, want %s", in, out, want)
		}
	}
}

func FuzzParseQuantity(f *testing.F) {
	for _, s := range []string{"100m", "1.5Gi", "1e3", "-0.001n", "100Ei", "+1", "1.500"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q, err := ParseQuantity(s)
		if err != nil {
			return
		}
		again, err := ParseQuantity(q.String())
		if err == ErrRange && len(q.String()) > 38 {
			return
		}
		if err != nil || again.Cmp(q) != 0 || again.String() != q.String() {
			t.Fatalf("%q prints %s, which reads as %s (%v)", s, q.String(), again.String(), err)
		}
	})
}
