package evaluator

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// semver is a version as Semantic Versioning 2.0.0 has it. Upstream: github.com/blang/semver/v4, with its words.
type semver struct {
	numbers [3]uint64
	pre     []string
}

func parseSemver(s string, normalize bool) (semver, error) {
	if normalize {
		var err error
		if s, err = normalized(s); err != nil {
			return semver{}, err
		}
	}
	if s == "" {
		return semver{}, errors.New("Version string empty")
	}
	parts := strings.SplitN(s, ".", 3)
	if len(parts) != 3 {
		return semver{}, errors.New("No Major.Minor.Patch elements found")
	}
	last, build, hasBuild := strings.Cut(parts[2], "+")
	patch, pre, hasPre := strings.Cut(last, "-")
	parts[2] = patch
	var v semver
	for i, what := range []string{"Major", "Minor", "Patch"} {
		p := parts[i]
		if strings.Trim(p, "0123456789") != "" || p == "" {
			if p == "" {
				_, err := strconv.ParseUint(p, 10, 64)
				return semver{}, err
			}
			return semver{}, fmt.Errorf("Invalid character(s) found in %s number %q", strings.ToLower(what), p)
		}
		if len(p) > 1 && p[0] == '0' {
			return semver{}, fmt.Errorf("%s number must not contain leading zeroes %q", what, p)
		}
		n, err := strconv.ParseUint(p, 10, 64)
		if err != nil {
			return semver{}, err
		}
		v.numbers[i] = n
	}
	if hasPre {
		for _, p := range strings.Split(pre, ".") {
			switch {
			case p == "":
				return semver{}, errors.New("Prerelease is empty")
			case numeric(p) && len(p) > 1 && p[0] == '0':
				return semver{}, fmt.Errorf("Numeric PreRelease version must not contain leading zeroes %q", p)
			case !identifier(p):
				return semver{}, fmt.Errorf("Invalid character(s) found in prerelease %q", p)
			}
			v.pre = append(v.pre, p)
		}
	}
	if hasBuild {
		for _, p := range strings.Split(build, ".") {
			if p == "" {
				return semver{}, errors.New("Build meta data is empty")
			}
			if !identifier(p) {
				return semver{}, fmt.Errorf("Invalid character(s) found in build meta data %q", p)
			}
		}
	}
	return v, nil
}

func numeric(s string) bool { return strings.Trim(s, "0123456789") == "" }

func identifier(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool {
		return c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	})
}

// normalized drops what people add to versions. Upstream: apiserver/pkg/cel/library/semverlib.go, normalizeAndParse.
func normalized(s string) (string, error) {
	parts := strings.SplitN(strings.TrimPrefix(s, "v"), ".", 3)
	for i, p := range parts {
		if len(p) > 1 {
			p = strings.TrimLeft(p, "0")
			if p == "" || !numeric(p[:1]) {
				p = "0" + p
			}
			parts[i] = p
		}
	}
	if len(parts) < 3 && strings.ContainsAny(parts[len(parts)-1], "+-") {
		return "", errors.New("short version cannot contain PreRelease/Build meta data")
	}
	for len(parts) < 3 {
		parts = append(parts, "0")
	}
	return strings.Join(parts, "."), nil
}

func (v semver) compare(w semver) int {
	if c := slices.Compare(v.numbers[:], w.numbers[:]); c != 0 {
		return c
	}
	if len(v.pre) == 0 || len(w.pre) == 0 { // a release is after what came before it
		return min(len(w.pre), 1) - min(len(v.pre), 1)
	}
	return slices.CompareFunc(v.pre, w.pre, func(a, b string) int {
		switch x, y := numeric(a), numeric(b); {
		case x && y:
			if len(a) != len(b) {
				return len(a) - len(b)
			}
			return strings.Compare(a, b)
		case x:
			return -1
		case y:
			return 1
		}
		return strings.Compare(a, b)
	})
}
