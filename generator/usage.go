package main

const usage = `kubewalk makes a book with live demos of Kubernetes: a site of Markdown.

usage: kubewalk COMMAND [FLAGS]

  new NAME                start a book in the folder NAME
  new chapter PART/NAME   begin a chapter, in all languages of the book
  new demo NAME           begin a demo
  new words LANGUAGE      what the site says by itself, to translate; adds what a file lacks
  serve                   show the book on this machine, and rebuild it on save
  check                   say what is wrong with the book, and write nothing
  build                   write the site into a folder
  release                 write the book as EPUB, and the site as a zip, to hand out
  schema                  write JSON Schemas of site.yaml and front matter, for editors
  pack                    make a kubewalk that needs no checkout (in a checkout)
  version                 say which kubewalk this is

flags:

  --content DIR     the folder of the book, with its site.yaml (content)
  --out DIR         build: the folder of the site (public); pack: the program (bin/kubewalk);
                    schema: the folder of the schemas (.kubewalk); release: that of the files (release)
  --base-url URL    build, serve, check, release: the address at which the site will be
  --portable        build: a site that opens from a folder, without a server
  --drafts          build, check: with chapters that say draft: true; serve always has them
  --strict          build, check: warnings are problems
  --addr ADDR       serve: where to listen (127.0.0.1:8080); PORT sets the port
  --json            check: problems as JSON
  --languages LIST  new NAME: the languages of the book, as en,ja (en)
  --title TEXT      new NAME: what the book is called

What is wrong is said as file:line:column: what (the cure). The exit code is 0
when all is well, also with warnings; 1 when something is wrong; 2 when the
command line is not understood.
`
