package fields

import (
	"errors"
	"testing"
)

func TestParseSelector(t *testing.T) {
	tests := []struct {
		in, want string
		match    bool
	}{
		{"", "", true}, {"spec.nodeName=n1", "spec.nodeName=n1", true}, {"spec.nodeName==n2", "spec.nodeName=n2", false},
		{"status.phase!=Failed,metadata.name=a", "metadata.name=a,status.phase!=Failed", true},
		{`metadata.name=a\,b`, `metadata.name=a\,b`, false}, {"spec.nosuch=", "spec.nosuch=", true},
	}
	pod := Set{"metadata.name": "a", "spec.nodeName": "n1", "status.phase": "Running"}
	for _, tt := range tests {
		s, err := ParseSelector(tt.in)
		if err != nil || s.String() != tt.want || s.Matches(pod) != tt.match {
			t.Errorf("ParseSelector(%q) = %q, %v, matches: %v, want %q, %v", tt.in, s, err, s.Matches(pod), tt.want, tt.match)
		}
	}
	for in, want := range map[string]string{
		"a":     "invalid selector: 'a'; can't understand 'a'",
		`a=\b`:  `invalid field selector: invalid escape sequence: \b`,
		"a=b=c": "invalid field selector: unescaped character in value: 61",
	} {
		if _, err := ParseSelector(in); err == nil || err.Error() != want {
			t.Errorf("ParseSelector(%q): error %v, want %s", in, err, want)
		}
	}
}

func TestTransform(t *testing.T) {
	_, err := ParseAndTransformSelector("spec.nosuch=1", func(field, value string) (string, string, error) {
		return "", "", errors.New("field label not supported: " + field)
	})
	if err == nil || err.Error() != "field label not supported: spec.nosuch" {
		t.Errorf("error is %v", err)
	}
	s := OneTermEqualSelector("a", "1")
	if v, ok := s.RequiresExactMatch("a"); v != "1" || !ok || len(s.Requirements()) != 1 {
		t.Errorf("%q doesn't require a=1", s)
	}
	if !Everything().Empty() || Nothing().Matches(Set{}) {
		t.Error("everything or nothing matches wrongly")
	}
}

func FuzzParseSelector(f *testing.F) {
	f.Add(`a=1,b!=2,c==\,\\`)
	f.Fuzz(func(t *testing.T, in string) {
		s, err := ParseSelector(in)
		if err != nil {
			return
		}
		again, err := ParseSelector(s.String())
		if err != nil || len(again.Requirements()) != len(s.Requirements()) {
			t.Fatalf("ParseSelector(%q) prints %q, which reads as %q (%v)", in, s, again, err)
		}
	})
}
