package controller

import (
	"encoding/json"
	"hash/fnv"
	"strconv"

	"kubewalk/playground/api/corev1"
)

// ComputeHash makes a short text of a Pod template: the same for the same
// template, and another one, almost always, for another template. When two
// templates share it, the owner counts a collision, which is hashed too, and
// the next text differs.
//
// Upstream: pkg/controller/controller_utils.go, ComputeHash. The function over
// the bytes (FNV-1a, 32 bits) and the alphabet are upstream's; the bytes are the
// template's JSON, where upstream prints its Go struct, so the values differ.
func ComputeHash(template *corev1.PodTemplateSpec, collisionCount *int32) string {
	text, err := json.Marshal(template)
	if err != nil {
		panic("controller: a Pod template that can't be encoded: " + err.Error())
	}
	return HashBytes(text, collisionCount)
}

// HashBytes is ComputeHash of any bytes.
func HashBytes(data []byte, collisionCount *int32) string {
	h := fnv.New32a()
	h.Write(data)
	if collisionCount != nil {
		n := uint32(*collisionCount)
		h.Write([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24), 0, 0, 0, 0})
	}
	return SafeEncodeString(strconv.FormatUint(uint64(h.Sum32()), 10))
}

// SafeEncodeString writes a text in letters and digits that can't make a bad
// word and are not mistaken for one another.
// Upstream: apimachinery/pkg/util/rand, SafeEncodeString.
func SafeEncodeString(s string) string {
	const alphanums = "bcdfghjklmnpqrstvwxz2456789"
	out := make([]byte, len(s))
	for i := range out {
		out[i] = alphanums[int(s[i])%len(alphanums)]
	}
	return string(out)
}
