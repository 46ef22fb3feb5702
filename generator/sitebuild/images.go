package sitebuild

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"

	"kubewalk/generator/book/regularfile"
	"kubewalk/generator/build/headers"
	"kubewalk/generator/problem"
	"kubewalk/generator/render/markdown"
	"kubewalk/generator/render/picture"
)

// makeImages reads every image of the book, and puts its files into the tree.
func (b *build) makeImages() error {
	if b.cache.pictures.Dir == "" {
		b.cache.pictures.Dir = filepath.Join(b.options.Root, ".cache", "pictures")
	}
	made := make([]*picture.Picture, len(b.book.Images))
	wrong := make([]error, len(made))
	var group sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0)) // an image in work takes memory
	for i, file := range b.book.Images {
		free <- struct{}{}
		group.Go(func() {
			defer func() { <-free }()
			full := filepath.Join(b.options.Content, filepath.FromSlash(file))
			data, err := regularfile.Read(b.options.Content, full)
			if err == nil {
				made[i], err = b.cache.pictures.Make(filepath.ToSlash(full), data)
			}
			wrong[i] = err
		})
	}
	group.Wait()
	var problems problem.List
	files := map[string]markdown.PictureFile{}
	for i, file := range b.book.Images {
		problems.AddError(wrong[i])
		files[file] = b.putPicture(file, made[i])
	}
	for _, file := range b.book.Images {
		b.images[file] = markdown.Picture{Light: files[file], Dark: files[markdown.DarkName(file)]}
	}
	return problems.Err()
}

// unsafe is what would have to be escaped in srcset.
var unsafe = regexp.MustCompile(`[^A-Za-z0-9._-]`)

// putPicture writes a picture's files; nil is one whose problems are told.
func (b *build) putPicture(file string, made *picture.Picture) (out markdown.PictureFile) {
	if made == nil {
		return out
	}
	name := headers.Assets + "/" + unsafe.ReplaceAllString(strings.TrimSuffix(file, path.Ext(file)), "-")
	var set []string
	for _, f := range made.Files {
		out.URL = b.site.Link("/" + b.tree.PutHashed(name+f.Ext, f.Data))
		set = append(set, fmt.Sprintf("%s %dw", out.URL, f.Width))
	}
	switch original := made.Original; {
	case original != nil:
		out.URL = b.site.Link("/" + b.tree.PutHashed(name+original.Ext, original.Data))
		out.Copies = strings.Join(set, ", ")
	case len(set) > 1:
		out.SrcSet = strings.Join(set, ", ")
	}
	out.Width, out.Height = made.Width, made.Height
	return out
}
