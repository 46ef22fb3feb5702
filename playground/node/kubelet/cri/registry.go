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
//   - a name or tag that begins with "no-such" is not found: nginx:no-such-tag; neither is the tag 404, as in upstream's end-to-end tests;
//   - a registry under .invalid, a domain that never exists (RFC 2606), can't
//     be resolved: registry.invalid/web:1.
//
// An image's size follows from its name: those of the catalogue are about as on
// Docker Hub, others have 20 to 120 MB. A node downloads and unpacks 40 to 80 MB a second.
type Internet struct{}

// Pull implements Registry.
func (Internet) Pull(name string, present bool, r *sim.Rand) (int64, time.Duration, error) {
	repository, tag := splitTag(name)
	host, path, _ := strings.Cut(repository, "/")
	resolve := r.Between(120*time.Millisecond, 400*time.Millisecond)
	if strings.HasSuffix(host, ".invalid") {
		return 0, resolve, &Error{"Unknown", "failed to pull and unpack image \"" + name + "\": failed to resolve reference \"" + name +
			"\": failed to do request: Head \"https://" + host + "/v2/" + path + "/manifests/" + tag + "\": dial tcp: lookup " + host + ": no such host"}
	}
	if strings.HasPrefix(base(path), "no-such") || strings.HasPrefix(tag, "no-such") || tag == "404" {
		return 0, resolve, &Error{"NotFound", "failed to pull and unpack image \"" + name + "\": failed to resolve reference \"" + name + "\": " + name +
			": not found"}
	}
	size := lookup(name).SizeBytes
	if size == 0 {
		size = 20_000_000 + int64(hash(name)%100_000_000)
	}
	if present {
		return size, resolve, nil
	}
	perSecond := int64(40_000_000 + r.IntN(40_000_000))
	return size, resolve + time.Duration(size*1000/perSecond)*time.Millisecond, nil
}

// Hub is a registry that can fail, and that the nodes of a cluster share.
type Hub struct {
	behind Registry
	down   bool
	lost   map[string]bool // normalised names
}

// NewHub returns a hub that works, with the images of another registry; nil is Internet.
func NewHub(behind Registry) *Hub {
	if behind == nil {
		behind = Internet{}
	}
	return &Hub{behind: behind, lost: map[string]bool{}}
}

// SetDown makes every registry refuse connections, or ends that.
func (h *Hub) SetDown(down bool) { h.down = down }

// Down tells whether the registries refuse connections.
func (h *Hub) Down() bool { return h.down }

// Lose makes an image not exist any more, and Restore brings it back.
func (h *Hub) Lose(image string) { h.lost[NormalizeImage(image)] = true }

// Restore undoes Lose. It tells whether the image was lost.
func (h *Hub) Restore(image string) bool {
	name := NormalizeImage(image)
	was := h.lost[name]
	delete(h.lost, name)
	return was
}

// Pull implements Registry.
func (h *Hub) Pull(name string, present bool, r *sim.Rand) (int64, time.Duration, error) {
	if !h.down && !h.lost[name] {
		return h.behind.Pull(name, present, r)
	}
	repository, tag := splitTag(name)
	host, path, _ := strings.Cut(repository, "/")
	takes := r.Between(120*time.Millisecond, 400*time.Millisecond)
	cannot := "failed to pull and unpack image \"" + name + "\": failed to resolve reference \"" + name + "\": "
	if !h.down {
		return 0, takes, &Error{"NotFound", cannot + name + ": not found"}
	}
	if host == "docker.io" {
		host = "registry-1.docker.io"
	}
	return 0, takes, &Error{"Unknown", cannot + "failed to do request: Head \"https://" + host + "/v2/" + path + "/manifests/" + tag +
		"\": dial tcp: connect: connection refused"}
}

// ValidImage tells what is wrong with an image's name; "" for nothing.
// Upstream: github.com/distribution/reference ParseNormalizedNamed.
func ValidImage(image string) string {
	const format = "invalid reference format"
	rest, digest, hasDigest := strings.Cut(image, "@")
	repository, tag := splitTag(rest)
	if hasDigest && !strings.Contains(digest, ":") || repository == "" || strings.HasSuffix(rest, ":") || len(tag) > 128 {
		return format
	}
	for _, part := range strings.Split(repository, "/") {
		if part == "" {
			return format
		}
	}
	host := ""
	if first, _, slash := strings.Cut(repository, "/"); slash && (strings.ContainsAny(first, ".:") || first == "localhost") {
		host = first + "/"
	}
	path := strings.TrimPrefix(repository, host)
	for i := range len(path) {
		if c := path[i]; c >= 'A' && c <= 'Z' {
			if !strings.Contains(path, "/") && host == "" {
				path = "library/" + path
			}
			return format + ": repository name (" + path + ") must be lowercase"
		}
	}
	for _, text := range []string{path, tag} {
		for i := range len(text) {
			c := text[i]
			if !isNameByte(c) && c != '.' && c != '-' && c != '/' || i == 0 && (c == '.' || c == '-') {
				return format
			}
		}
	}
	return ""
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
