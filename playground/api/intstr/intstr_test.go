package intstr

import (
	"encoding/json"
	"testing"
)

func TestScaledValue(t *testing.T) {
	tests := []struct {
		v        string
		total    int
		up, down int
	}{
		{"3", 10, 3, 3}, {"25%", 10, 3, 2}, {"25%", 4, 1, 1}, {"0%", 10, 0, 0}, {"100%", 7, 7, 7}, {"-25%", 10, -2, -3},
	}
	for _, tt := range tests {
		v := Parse(tt.v)
		up, err1 := GetScaledValueFromIntOrPercent(&v, tt.total, true)
		down, err2 := GetScaledValueFromIntOrPercent(&v, tt.total, false)
		if up != tt.up || down != tt.down || err1 != nil || err2 != nil {
			t.Errorf("%s of %d: %d up, %d down (%v, %v), want %d, %d", tt.v, tt.total, up, down, err1, err2, tt.up, tt.down)
		}
	}
	name := FromString("http")
	if _, err := GetScaledValueFromIntOrPercent(&name, 1, true); err == nil {
		t.Error("a name has a scaled value")
	}
}

func TestJSON(t *testing.T) {
	for _, s := range []string{`80`, `"http"`, `"25%"`, `-1`} {
		var v IntOrString
		if err := json.Unmarshal([]byte(s), &v); err != nil {
			t.Errorf("%s: %v", s, err)
		}
		if out, err := json.Marshal(v); string(out) != s || err != nil {
			t.Errorf("%s became %s, %v", s, out, err)
		}
	}
}
