// The first import of a run: some libraries ask on loading whether they are to check more than a server needs.
process.env.NODE_ENV = 'production'
