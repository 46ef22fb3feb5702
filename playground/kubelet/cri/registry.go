package cri

import (
	"encoding/hex"
	"strings"
	"time"

	"kubewalk/playground/sim"
)

// Registry is where images come from.
type Registry interface {
	// Pull tells what downloading an image (its normalised name) gives: its
	// size and how long that takes, or an error. present is true when the node
	// has it: then only the manifest is asked for.
	Pull(name string, present bool, r *sim.Rand) (sizeBytes int64, takes time.Duration, err error)
}

// Internet is the registry that a node has unless it is given another one.
// Every image exists, but for two kinds, so that a chapter can show a failure:
//
//   - a name or tag that begins with "no-such" is not found: nginx:no-such-tag;
//   - a registry under .invalid, a domain that never exists (RFC 2606), can't
//     be resolved: registry.invalid/web:1.
//
// An image's size follows from its name: a few well-known ones are as on Docker
// Hub, others have 20 to 120 MB. A node downloads and unpacks 40 to 80 MB a second.
type Internet struct{}

var wellKnownSizes = map[string]int64{
	"docker.io/library/busybox": 2156519,
	"docker.io/library/alpine":  3807174,
	"docker.io/library/nginx":   72189351,
	"docker.io/library/redis":   45006722,
	"registry.k8s.io/pause":     321520,
}

// Pull implements Registry.
func (Internet) Pull(name string, present bool, r *sim.Rand) (int64, time.Duration, error) {
	repository, tag := splitTag(name)
	host, path, _ := strings.Cut(repository, "/")
	resolve := r.Between(120*time.Millisecond, 400*time.Millisecond)
	if strings.HasSuffix(host, ".invalid") {
		return 0, resolve, &Error{"Unknown", "failed to pull and unpack image \"" + name + "\": failed to resolve reference \"" + name +
			"\": failed to do request: Head \"https://" + host + "/v2/" + path + "/manifests/" + tag + "\": dial tcp: lookup " + host + ": no such host"}
	}
	if strings.HasPrefix(base(path), "no-such") || strings.HasPrefix(tag, "no-such") {
		return 0, resolve, &Error{"NotFound", "failed to pull and unpack image \"" + name + "\": failed to resolve reference \"" + name + "\": " + name + ": not found"}
	}
	size, ok := wellKnownSizes[repository]
	if !ok {
		size = 20_000_000 + int64(hash(name)%100_000_000)
	}
	if present {
		return size, resolve, nil
	}
	perSecond := int64(40_000_000 + r.IntN(40_000_000))
	return size, resolve + time.Duration(size*1000/perSecond)*time.Millisecond, nil
}

// NormalizeImage spells a name out as containerd does: "nginx" is
// "docker.io/library/nginx:latest".
// Upstream: github.com/distribution/reference ParseDockerRef.
func NormalizeImage(image string) string {
	first, _, slash := strings.Cut(image, "/")
	switch {
	case !slash:
		image = "docker.io/library/" + image
	case !strings.ContainsAny(first, ".:") && first != "localhost":
		image = "docker.io/" + image
	}
	if repository, tag := splitTag(image); tag == "" && !strings.Contains(image, "@") {
		image = repository + ":latest"
	}
	return image
}

// splitTag cuts "host:5000/a/b:tag" before the last colon that belongs to a tag.
func splitTag(name string) (repository, tag string) {
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		return name[:i], name[i+1:]
	}
	return name, ""
}

// imageRef is the reference by digest. The digest is made up from the name.
func imageRef(name string) string {
	repository, _, digest := strings.Cut(name, "@")
	if digest {
		return name
	}
	repository, _ = splitTag(repository)
	r := sim.NewRand(hash(name))
	return repository + "@sha256:" + hexDigits(r)
}

// hexDigits returns 64 of them, as long as a SHA-256.
func hexDigits(r *sim.Rand) string {
	var b [32]byte
	for i := 0; i < len(b); i += 8 {
		v := r.Uint64()
		for j := 0; j < 8; j++ {
			b[i+j] = byte(v >> (8 * j))
		}
	}
	return hex.EncodeToString(b[:])
}

// hash is FNV-1a.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}
